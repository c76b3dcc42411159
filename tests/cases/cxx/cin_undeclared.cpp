//@ about: who reads std::cin has declared standard input; with paths left to try nothing is said to need another input
//@ input: none
//@ iterations: <= 40
//@ args: --strategy dfs
#include <iostream>

static bool armed = false;

int main() {
    char c;
    int count = 0;
    while (std::cin >> c) {
        if (c == 'q') return 2;         //~ side: both
        if (++count == 70) armed = true;
        if (armed) return 1;            //~ uncovered: untried
    }
    return 0;
}
