/* Runs a harness once on the bytes of a file. */
#include <stdint.h>
#include <stddef.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Of programs that count by themselves: how often the condition of a line held, and how often not. */
__attribute__((weak)) extern long counts[200][2];

int main(int argc, char **argv) {
  static uint8_t data[1 << 12];
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!file)
    return 2;
  size_t size = fread(data, 1, sizeof data, file);
  fclose(file);
  LLVMFuzzerTestOneInput(data, size);
  for (int line = 0; counts && line < 200; line++)
    if (counts[line][0] || counts[line][1])
      printf("%d %ld %ld\n", line, counts[line][0], counts[line][1]);
  return 0;
}
