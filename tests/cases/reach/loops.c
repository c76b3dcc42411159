//@ about: loops: what holds behind them, and inputs that must go round many times
//@ input: function loops
#include <symcrete.h>

void loops(int n, int x) {
    int i;
    for (i = 0; i < 10; i++)
        ;
    if (i != 10)
        symcrete_target(1); //~ unreachable
    int count = 0;
    while (n > 0) {
        n -= 3;
        count++;
    }
    if (count == 100)
        symcrete_target(2); //~ reach
    if (n > 0)
        symcrete_target(3); //~ unreachable
    int sum = 0;
    for (int j = 0; j < 5; j++)
        sum += x;
    if (sum == 35)
        symcrete_target(4); //~ reach
}
