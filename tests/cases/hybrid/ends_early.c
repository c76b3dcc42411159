//@ about: a program that ends after three inputs is explored as well
//@ input: calls
//@ args: --strategy hybrid --until coverage=100%
//@ iterations: <= 2000
//@ end: goal
#include <symcrete.h>

int main(void) {
    int a = symcrete_int("a"), b = symcrete_int("b");
    if (a == 123456 && b == a * 3) return 1; //~ side: both
    if (symcrete_char("c") == '!') return 2; //~ side: both
    return 0;
}
