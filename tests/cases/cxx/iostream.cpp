//@ about: std::cin: numbers, words, lines; the library's own code is followed down to the bytes
//@ input: stdin 8
//@ iterations: <= 3000
//@ allow: unknown
#include <iostream>
#include <string>

int main() {
    int n;
    if (!(std::cin >> n)) return 9;                   //~ side: both
    if (n == -7) return 1;                            //~ side: both
    std::string word, line;
    if (!(std::cin >> word)) return 8;                //~ side: both
    if (word == "key") return 2;                      //~ side: both
    if (!std::getline(std::cin, line)) return 7;      //~ side: both
    if (line.size() == 2 && line[1] == '=') return 3; //~ side: both both
    return 0;
}
