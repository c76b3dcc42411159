//@ about: a pointer parameter that is a buffer
//@ input: function parse
//@ args: --strategy dfs --buffer data:6
//@ iterations: <= 300
int parse(const char *data) {
    if (!data) return 0;
    if (data[0] != '{') return 1;   //~ side: both
    if (data[5] == '}') return 2;   //~ side: both
    return 3;
}
