/* Where does each input first leave the path of the first one?
 *
 * Link with a buffer subject built by clang -O0 -fsanitize-coverage=trace-pc-guard,no-prune. The first file named on
 * the command line gives the path to compare with; for every other file one line is printed: the file's name, the
 * number of blocks run in common, and the block run instead (0: the path ended). Nothing of the tool under test is
 * in this program.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LONGEST = 1 << 24 };
static uint32_t *parent, parent_length;
static uint32_t at, other, blocks;
static int recording, differs;

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
  for (; start < stop; start++)
    if (*start == 0)
      *start = ++blocks;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
  if (recording) {
    if (parent_length == LONGEST) {
      fprintf(stderr, "the first path is too long\n");
      exit(1);
    }
    parent[parent_length++] = *guard;
  } else if (!differs) {
    if (at < parent_length && parent[at] == *guard) {
      at++;
    } else {
      differs = 1;
      other = *guard;
    }
  }
}

static void run(const char *name) {
  static uint8_t data[1 << 16];
  FILE *file = fopen(name, "rb");
  if (!file) {
    perror(name);
    exit(1);
  }
  size_t size = fread(data, 1, sizeof data, file);
  fclose(file);
  /* A copy of the exact size, so that reading past the end would be seen by a checker. */
  uint8_t *exact = malloc(size + 1);
  for (size_t i = 0; i < size; i++)
    exact[i] = data[i];
  LLVMFuzzerTestOneInput(exact, size);
  free(exact);
}

int main(int argc, char **argv) {
  parent = malloc(sizeof *parent * LONGEST);
  if (argc < 2 || !parent)
    return 1;
  recording = 1;
  run(argv[1]);
  recording = 0;
  for (int i = 2; i < argc; i++) {
    at = other = 0;
    differs = 0;
    run(argv[i]);
    if (differs || at < parent_length)
      printf("%s %u %u\n", argv[i], at, other);
    else
      printf("%s same 0\n", argv[i]);
  }
  return 0;
}
