//@ about: std::vector grows with input; std::sort orders it
//@ input: stdin =3
//@ args: --strategy dfs
//@ iterations: <= 300
#include <algorithm>
#include <unistd.h>
#include <vector>

int main() {
    unsigned char b[3];
    if (read(0, b, 3) != 3) return 9;
    std::vector<int> v;
    for (unsigned char x : b)
        if (x > 10) v.push_back(x); //~ side: both
    std::sort(v.begin(), v.end());
    if (v.size() == 3 && v[0] == 20 && v[2] == 22) return 1; //~ side: both
    return 0;
}
