//@ about: memory: globals, fields, arrays, pointers to what they point to
//@ input: function memory
#include <string.h>
#include <symcrete.h>

static int state = 3;
static const int table[8] = {1, 2, 4, 8, 16, 32, 64, 128};
struct point {
    int x;
    char y;
};
static struct point shared;
static int cells[4];

static void set(int *p, int value) { *p = value; }

void memory(int a, unsigned i) {
    if (state != 3)
        symcrete_target(1); //~ unreachable (nobody wrote it yet)
    struct point p = {a, 7};
    if (p.y != 7)
        symcrete_target(2); //~ unreachable
    p.x += 1;
    if (p.x == 43 && p.y == 7)
        symcrete_target(3); //~ reach
    if (table[i & 7] == 3)
        symcrete_target(4); //~ unreachable
    if (table[i & 7] == 32)
        symcrete_target(5); //~ reach
    cells[i & 3] = 9;
    if (cells[2] == 9 && (i & 3) == 1)
        symcrete_target(6); //~ unreachable
    if (cells[2] == 9)
        symcrete_target(7); //~ reach
    int local = 0;
    set(&local, a);
    if (local == 1000)
        symcrete_target(8); //~ reach
    if (local != a)
        symcrete_target(9); //~ unreachable
    shared.x = a;
    struct point copy;
    memcpy(&copy, &shared, sizeof copy);
    if (copy.x != a)
        symcrete_target(10); //~ unreachable
    int *q = a > 0 ? &state : &cells[3];
    *q = 50;
    if (a > 0 && state != 50)
        symcrete_target(11); //~ unreachable
    if (a <= 0 && cells[3] == 50 && state == 3)
        symcrete_target(12); //~ reach
}
