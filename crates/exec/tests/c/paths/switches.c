/* Switches dense and sparse, nested, falling through, in loops; state machines that jump threading takes apart. */
#include <stdint.h>
#include <stddef.h>

enum state { START, WORD, NUMBER, END };

static int kind(unsigned c) {
  switch (c) {
  case 'a':
  case 'b':
  case 'c':
  case 'x':
  case 'z':
    return 1;
  case '0':
  case '1':
  case '2':
  case '3':
    return 2;
  case ' ':
    return 3;
  case 1000000:
  case 70000:
    return 4;
  default:
    return 0;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char text[] = "ab 12 c3 0x zz9";
  enum state state = START;
  int words = 0, numbers = 0;
  for (size_t i = 0; i < sizeof text + size; i++) {
    int k = kind(i < sizeof text ? text[i] : data[i - sizeof text]);
    switch (state) {
    case START:
      if (k == 1)
        state = WORD;
      else if (k == 2)
        state = NUMBER;
      break;
    case WORD:
      switch (k) {
      case 3:
        words++;
        state = START;
        break;
      case 0:
        state = END;
        break;
      default:
        break;
      }
      break;
    case NUMBER:
      if (k == 3 || (k == 1 && numbers > 1)) {
        numbers++;
        state = START;
      }
      break;
    case END:
      words += 2;
      if (i & 1)
        state = START;
      break;
    default:
      return 7;
    }
  }
  return words && !(numbers && size > 100) ? 0 : words > 100 || numbers > 50;
}
