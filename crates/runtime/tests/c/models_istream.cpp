// Reads in all the ways the C++ library has and prints what it got and the stream's state. Built twice, with
// the library's own code and with ours: both must print the same.
//   models_istream SEED ROUNDS FILE    streams on strings and on FILE, which it writes
//   models_istream OPERATIONS          standard input; a leading `-` takes it off stdio
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>

template <class T> static void number(std::istream &in, T value) {
  in >> value;
  std::printf("%a\n", static_cast<double>(value));
}

static void one(std::istream &in, char operation) {
  char buffer[9] = "########";
  std::string text = "before";
  constexpr auto all = std::numeric_limits<std::streamsize>::max();
  switch (operation) {
  case 'a': std::getline(in, text); break;
  case 'b': std::getline(in, text, 'x'); break;
  case 'c': in >> text; break;
  case 'd': in >> std::setw(3) >> text; break;
  case 'e': in >> std::setw(4) >> buffer; break;
  case 'f': in.getline(buffer, 5); break;
  case 'g': in.getline(buffer, 3, '7'); break;
  case 'h': in.ignore(); break;
  case 'i': in.ignore(2); break;
  case 'j': in.ignore(5, '\n'); break;
  case 'k': in.ignore(all, 'x'); break;
  case 'l': number(in, -5); break;
  case 'm': number(in, static_cast<unsigned char>('#')); break;
  case 'n': number(in, -5.5), number(in, 2.5f); break;
  case 'o': std::printf("%d\n", in.get()); break;
  case 'p': std::printf("%d\n", in.peek()); break;
  case 'q': in.unget(); break;
  case 'r': in.read(buffer, 3); break;
  case 's': in >> std::ws; break;
  case 't': in >> std::hex, number(in, static_cast<unsigned short>(9)), in >> std::dec; break;
  case 'u': number(in, true); break;
  case 'v': in >> std::setbase(0), number(in, 1L), in >> std::dec; break;
  case 'w': in.get(buffer, 4); break;
  case 'x': in.clear(); break;
  case 'y': std::printf("%ld\n", static_cast<long>(in.readsome(buffer, 2))); break;
  case 'z': in.getline(buffer, 0), in.getline(buffer, 1); break;
  }
  std::printf("%c: state %d, %ld characters, [%s] [%s] compare %d\n", operation, static_cast<int>(in.rdstate()),
              static_cast<long>(in.gcount()), text.c_str(), buffer, text.compare("ab") < 0);
}

static void sequence(std::istream &in, const std::string &operations) {
  for (char operation : operations)
    one(in, operation);
}

static unsigned long state;

static unsigned below(unsigned n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<unsigned>(state >> 33) % n;
}

int main(int argc, char **argv) {
  if (argc == 2) {
    bool own = argv[1][0] == '-';
    if (own)
      std::ios::sync_with_stdio(false);
    sequence(std::cin, argv[1] + own);
    return 0;
  }
  state = std::strtoul(argv[1], nullptr, 10);
  for (int round = std::atoi(argv[2]); round > 0; round--) {
    static const char alphabet[] = "x7 12\n\tab0X-+.,ef9\xff\0 \n7x";
    std::string content, operations;
    for (unsigned n = below(40); n > 0; n--)
      content += alphabet[below(sizeof alphabet - 1)];
    for (unsigned n = below(12); n > 0; n--)
      operations += static_cast<char>('a' + below(26));
    std::printf("round %d\n", round);
    std::istringstream in(content);
    sequence(in, operations);
    {
      std::ofstream out(argv[3], std::ios::binary);
      out << content;
    }
    std::ifstream file(argv[3], std::ios::binary);
    sequence(file, operations);
  }
  return 0;
}
