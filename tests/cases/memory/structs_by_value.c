//@ about: small structs in registers and large ones in memory, as parameters and results
//@ input: stdin =24
//@ args: --strategy dfs
//@ end: exhausted
#include <unistd.h>

struct small { int a, b; };
struct mixed { short s; long l; };
struct large { int v[6]; };

__attribute__((noinline)) static struct small swapped(struct small s) { return (struct small){s.b, s.a}; }
__attribute__((noinline)) static struct mixed widened(struct small s) { return (struct mixed){(short)s.a, (long)s.b * 3}; }
__attribute__((noinline)) static struct large rotated(struct large x) {
    struct large r = {{x.v[1], x.v[2], x.v[3], x.v[4], x.v[5], x.v[0]}};
    return r;
}
__attribute__((noinline)) static int difference(struct large x, struct small s) { return x.v[5] - s.a; }

int main(void) {
    struct large x;
    if (read(0, &x, sizeof x) != sizeof x) return 9;
    struct small s = swapped((struct small){x.v[0], x.v[1]});
    if (s.a == 31337) return 1;              //~ side: both
    struct mixed m = widened(s);
    if (m.s == -5 && m.l == 300) return 2;   //~ side: both
    struct large y = rotated(x);
    if (y.v[4] == 123456789) return 3;       //~ side: both
    if (difference(y, s) == 4242) return 4;  //~ side: both
    return 0;
}
