
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
#ifdef __GNUC__
extern int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
#endif

static void enter(int argc, char **argv) {
  static char name[] = "program";
  size_t size = 0;
  uint8_t *data = NULL;
  argv[0] = name;
#ifdef __GNUC__
  if (LLVMFuzzerInitialize)
    LLVMFuzzerInitialize(&argc, &argv);
#else
  (void)argc;
#endif
  for (size_t i = 0; i < given_count; i++)
    if (given[i].kind == BUFFER) {
      /* A block of just this size: a checked build sees what goes past it. */
      size = given[i].size;
      data = malloc(size);
      if (data)
        memcpy(data, given[i].bytes, size);
    }
  if (!data)
    data = malloc(0);
  LLVMFuzzerTestOneInput(data, size);
  free(data);
  exit(0);
}
