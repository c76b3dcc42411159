//@ about: what a function only computes for its result is optimised away with the result: the null pointer is not noticed
//@ should: report a crash at line 10, labelled under-constrained
//@ input: function length
//@ args: --strategy dfs
//@ iterations: <= 60
struct text { int n; };

int length(struct text *t) {
    return t->n > 5;
}
