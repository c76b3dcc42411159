/* A libFuzzer harness, instrumented by hand: `if (size > 2 && data[0] == 'A' && data[1] == 'B') crash`. */
#include "slow.h"
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

UNIT(0x1234)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint32_t size_label = 0;
  if (__symcrete_block.stamp == (uint64_t)LLVMFuzzerTestOneInput) {
    size_label = __symcrete_block.arguments[1];
    __symcrete_block.stamp = 0;
  }
  marks[0] = 1;
  if (!__symcrete_mode) { /* the fast body */
    if (size > 2 && data[0] == 'A') {
      marks[1] = 1;
      if (data[1] == 'B') {
        marks[2] = 1;
        if (data[2] == '!')
          abort();
        if (data[2] == '?')
          *(volatile int *)8 = 1;
        if (data[2] == 'x')
          _exit(7);
      }
    }
    return 0;
  }
  uint32_t enough = slow_binary(ULT, 64, 0, size_label, 2, size, 2 < size);
  slow_branch(enough, 2 < size, 0, site_base);
  sides[2 < size] = 1;
  if (size <= 2)
    return 0;
  for (int i = 0; i < 2; i++) {
    uint32_t byte = slow_load(data + i, 1, data[i], 1, site_base);
    uint32_t equal = slow_binary(EQ, 8, byte, 0, data[i], "AB"[i], data[i] == "AB"[i]);
    slow_branch(equal, data[i] == "AB"[i], 2 + i, site_base);
    if (data[i] != "AB"[i])
      return 0;
  }
  if (data[2] == '!')
    abort();
  if (data[2] == '?')
    *(volatile int *)8 = 1;
  return 0;
}
