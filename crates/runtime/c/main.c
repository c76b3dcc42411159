/* `main` for targets that have none: a libFuzzer harness, or one that `symcrete run --function` wrote.
 * Under an engine it runs what the engine says; by hand it runs the files named, or standard input. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) __attribute__((weak));
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
void symcrete_harness(void) __attribute__((weak));

int __symcrete_engine(void);
int __symcrete_next(const uint8_t **data, size_t *size, uint64_t entry);
void __symcrete_loop_back(void (*back)(void));

__attribute__((visibility("hidden"))) const char symcrete_main_is_ours = 1;

static void *frame[5];

/* An assumption failed in the middle of a run: on to the next one. */
static void back(void) { __builtin_longjmp(frame, 1); }

static void once(const uint8_t *data, size_t size) {
  if (symcrete_harness)
    symcrete_harness();
  else
    LLVMFuzzerTestOneInput(data, size);
}

static int run_file(FILE *file, const char *name) {
  size_t size = 0, room = 0;
  uint8_t *data = 0;
  do {
    if (size == room && !(data = realloc(data, room = room * 2 + 4096))) {
      fprintf(stderr, "%s: too large\n", name);
      return 1;
    }
    size += fread(data + size, 1, room - size, file);
  } while (!feof(file) && !ferror(file));
  /* Exactly as many bytes as there are: what reads past the end should be noticed. */
  uint8_t *exact = malloc(size ? size : 1);
  for (size_t i = 0; i < size; i++)
    exact[i] = data[i];
  free(data);
  once(exact, size);
  free(exact);
  return 0;
}

static int by_hand(int argc, char **argv) {
  int failed = 0;
  if (symcrete_harness) {
    once(0, 0);
    return 0;
  }
  if (argc < 2)
    return run_file(stdin, "standard input");
  for (int i = 1; i < argc; i++) {
    FILE *file = fopen(argv[i], "rb");
    if (!file) {
      perror(argv[i]);
      failed = 1;
      continue;
    }
    failed |= run_file(file, argv[i]);
    fclose(file);
  }
  return failed;
}

int main(int argc, char **argv) {
  if (!LLVMFuzzerTestOneInput && !symcrete_harness) {
    fprintf(stderr, "%s: no main, and no LLVMFuzzerTestOneInput either\n", argv[0]);
    return 2;
  }
  if (LLVMFuzzerInitialize)
    LLVMFuzzerInitialize(&argc, &argv);
  if (!__symcrete_engine())
    return by_hand(argc, argv);
  uint64_t entry = symcrete_harness ? (uint64_t)symcrete_harness : (uint64_t)LLVMFuzzerTestOneInput;
  const uint8_t *data;
  size_t size;
  __symcrete_loop_back(back);
  (void)__builtin_setjmp(frame);
  while (__symcrete_next(&data, &size, entry))
    once(data, size);
  return 0;
}
