//@ about: --until targets stops when every symcrete_target was reached
//@ input: calls
//@ args: --strategy bfs --until targets
//@ iterations: <= 60
//@ end: goal
#include <symcrete.h>

int main(void) {
    int x = symcrete_int("x");
    if (x == 1111) symcrete_target(1);     //~ side: both
    if (x % 1000 == 7) symcrete_target(2); //~ side: both
    for (int i = 0; i < 20; i++)
        if (symcrete_bool("more")) x++;
    return x == 5;
}
