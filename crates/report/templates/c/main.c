
/* All tests, or those that are named; `list` prints their names. */
int main(int argc, char **argv) {
  size_t failed = 0, done = 0;
  if (argc == 2 && !strcmp(argv[1], "list")) {
    for (size_t i = 0; i < COUNT(tests); i++)
      puts(tests[i].name);
    return 0;
  }
  FIND_PROGRAM
  for (size_t i = 0; i < COUNT(tests); i++) {
    int wanted = argc < 2;
    for (int j = 1; j < argc; j++)
      wanted |= !strcmp(argv[j], tests[i].name);
    if (!wanted)
      continue;
    done++;
    failed += !tests[i].passes();
  }
  for (int j = 1; j < argc; j++) {
    size_t i = 0;
    while (i < COUNT(tests) && strcmp(argv[j], tests[i].name))
      i++;
    if (i < COUNT(tests))
      continue;
    fprintf(stderr, "there is no test %s\n", argv[j]);
    failed++;
  }
  printf("%zu tests, %zu failed\n", done, failed);
  return failed > 0;
}
