//@ about: pointer parameters: null, a fresh object, or an earlier one
//@ input: function related
//@ args: --strategy bfs
//@ iterations: <= 2000
struct item {
    int value;
    struct item *next;
};

int related(struct item *a, struct item *b) {
    if (!a || !b) return 0;                         //~ side: both
    if (a == b) return 1;                           //~ side: both
    if (a->next && a->next->value == 17) return 2;  //~ side: both
    if (a->value == 5 && b->value == a->value) return 3; //~ side: both
    return 4;
}
