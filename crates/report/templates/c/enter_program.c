
static char program[PATH_MAX];

/* The program as it was built, in place of this process. */
static void enter(int argc, char **argv) {
  extern char **environ;
  (void)argc;
  argv[0] = program;
  execve(program, argv, environ);
  give_up(program);
}

/* The program is named on the command line, or by -DPROGRAM='"path"'. */
static int find_program(int *argc, char ***argv) {
#ifdef PROGRAM
  const char *path = PROGRAM;
  (void)argc, (void)argv;
#else
  const char *path = *argc > 1 ? (*argv)[1] : "";
  if (*argc > 1)
    (*argv)++, (*argc)--;
#endif
  if (realpath(path, program))
    return 1;
  fprintf(stderr, "which program? The first argument is its path%s%s\n", *path ? ", and there is none at " : "", path);
  return 0;
}
