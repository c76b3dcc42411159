//@ about: what a function only computes for its result is computed: the null pointer is noticed
//@ input: function length
//@ args: --strategy dfs
//@ iterations: <= 60
struct text { int n; };

int length(struct text *t) {
    return t->n > 5; //~ crash: crash
}
