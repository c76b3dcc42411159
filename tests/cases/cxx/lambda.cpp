//@ about: lambdas, std::function and captured input
//@ input: stdin =8
//@ args: --strategy dfs
//@ iterations: <= 60
#include <functional>
#include <unistd.h>

int main() {
    int v[2];
    if (read(0, v, 8) != 8) return 9;
    std::function<int(int)> add = [&](int x) { return x + v[0]; };
    auto twice = [](auto &f, int x) { return f(f(x)); };
    if (twice(add, v[1]) == 2027) return 1; //~ side: both
    return 0;
}
