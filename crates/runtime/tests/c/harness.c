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
  uint32_t enough = __symcrete_binary(ULT | 64 << 8, 0, size_label, 2, size, 2 < size);
  __symcrete_branch(enough, site_base + 0, 2 < size);
  sides[2 < size] = 1;
  if (size <= 2)
    return 0;
  for (int i = 0; i < 2; i++) {
    uint32_t byte = __symcrete_load(data + i, 1, 0, site_base + 1, data[i]);
    uint32_t equal = __symcrete_binary(EQ | 8 << 8, byte, 0, data[i], "AB"[i], data[i] == "AB"[i]);
    __symcrete_branch(equal, site_base + 2 + i, data[i] == "AB"[i]);
    if (data[i] != "AB"[i])
      return 0;
  }
  if (data[2] == '!')
    abort();
  if (data[2] == '?')
    *(volatile int *)8 = 1;
  return 0;
}
