/* Loops in loops, breaks and continues, loops that the optimiser unrolls, turns into closed forms or leaves out. */
#include <stdint.h>
#include <stddef.h>

static unsigned table[64];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  unsigned sum = 0;
  for (size_t i = 0; i < size; i++) {
    for (unsigned j = 0; j < 10; j++) {
      if (j == 7)
        continue;
      if (data[i] == j)
        break;
      sum += j * i;
    }
    int n = data[i] & 3;
    do {
      sum ^= 1;
    } while (n-- > 0);
  }
  for (int i = 0; i < 64; i++)
    table[i] = i * i;
  unsigned total = 0;
  for (int i = 0; i < 1000; i++)
    total += i;
  while (sum > 1)
    sum = sum % 2 ? 3 * sum + 1 > 5000 ? 1 : 3 * sum + 1 : sum / 2;
  return total + table[5] == 0 && sum > 7;
}
