//@ about: std::string: size, characters, appending, data compared by memcmp
//@ input: stdin =3
//@ args: --strategy dfs
//@ iterations: <= 100
#include <cstring>
#include <string>
#include <unistd.h>

int main() {
    char b[3];
    if (read(0, b, 3) != 3) return 9;
    std::string s;
    for (char c : b) s += c;
    if (s[0] == s[2] && s[1] == '-') return 1;                      //~ side: both
    if (s.size() == 3 && std::memcmp(s.data(), "key", 3) == 0) return 2; //~ side: true both
    return 0;
}
