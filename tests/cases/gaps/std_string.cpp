//@ about: parts of std::string that live in the C++ library are opaque: the comparison is not solved
//@ should: follow std::string::compare as memcmp is followed
//@ input: stdin 4
//@ args: --strategy dfs
//@ iterations: <= 400
//@ lost: call:_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEPKc
//@ lost: address
//@ lost: length:llvm.memcpy.p0.p0.i64
#include <string>
#include <unistd.h>

int main() {
    char b[4];
    long n = read(0, b, 4);
    if (n <= 0) return 9;
    std::string s(b, n);
    if (s == "key") return 1;                  //~ side: false
    if (s.size() == 4 && s[3] == '=') return 2; //~ side: both
    return 0;
}
