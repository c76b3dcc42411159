//@ about: a bug that needs a pointer no caller may ever pass is found and labelled
//@ input: function grow
//@ args: --strategy dfs
//@ iterations: <= 60
//@ stderr: crash at
struct text { int n; };

void grow(struct text *t) {
    t->n += 5; //~ crash: crash
}
