
/* The program's own main, compiled under this name. */
extern int program_main(int argc, char **argv);

static void enter(int argc, char **argv) {
  static char name[] = "program";
  argv[0] = name;
  exit(program_main(argc, argv));
}
