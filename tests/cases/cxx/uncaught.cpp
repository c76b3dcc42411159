//@ about: an exception nobody catches ends in abort
//@ input: stdin =1
//@ args: --strategy dfs
//@ iterations: <= 30
#include <stdexcept>
#include <unistd.h>

int main() {
    unsigned char c;
    if (read(0, &c, 1) != 1) return 9;
    if (c == 250) throw std::out_of_range("c"); //~ side: both   crash: abort
    return 0;
}
