//@ about: std::ifstream on an input file, std::istringstream on a line of it
//@ input: file data:8
//@ iterations: <= 1500
//@ allow: unknown
#include <fstream>
#include <sstream>
#include <string>

int main() {
    std::ifstream in("data");
    std::string line;
    if (!std::getline(in, line)) return 9; //~ side: both
    std::istringstream parts(line);
    unsigned a;
    char c;
    if (!(parts >> a >> c)) return 8;      //~ side: both
    if (a == 77 && c == ';') return 1;     //~ side: both both
    return in.get() == '!' ? 2 : 0;        //~ side: both
}
