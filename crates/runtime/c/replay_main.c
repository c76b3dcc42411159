/* `main` of a harness in a plain build: runs it once, on the recorded test. */
#include "replay.h"
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) __attribute__((weak));
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
void symcrete_harness(void) __attribute__((weak));

int main(int argc, char **argv) {
  if (LLVMFuzzerInitialize)
    LLVMFuzzerInitialize(&argc, &argv);
  if (symcrete_harness) {
    symcrete_harness();
    return 0;
  }
  if (!LLVMFuzzerTestOneInput) {
    fprintf(stderr, "%s: no main, and no LLVMFuzzerTestOneInput either\n", argv[0]);
    return 2;
  }
  size_t size;
  uint8_t *data = symcrete_replay_buffer(&size);
  LLVMFuzzerTestOneInput(data, size);
  free(data);
  return 0;
}
