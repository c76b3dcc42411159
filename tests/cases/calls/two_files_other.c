/* Belongs to two_files.c. */
int calls_made;

static int near(int x) { return x > 990 && x < 1010; } //~ side: both

int classify(int x) {
    calls_made++;
    if (near(x)) return 3; //~ side: both
    return x < 0;
}
