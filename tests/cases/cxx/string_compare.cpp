//@ about: std::string's parts that live in the C++ library are followed too: the comparison is solved
//@ input: stdin 4
//@ args: --strategy dfs
//@ iterations: <= 400
//@ lost: address
//@ lost: length:llvm.memcpy.p0.p0.i64
#include <string>
#include <unistd.h>

int main() {
    char b[4];
    long n = read(0, b, 4);
    if (n <= 0) return 9;
    std::string s(b, n);
    if (s == "key") return 1;                  //~ side: both
    if (s.size() == 4 && s[3] == '=') return 2; //~ side: both
    return 0;
}
