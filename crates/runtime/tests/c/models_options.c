/* Compares models of getopt and its relatives with the native ones on random argument lists: what each call gives, what
 * it leaves in the variables, and the order of the arguments in the end. Prints the first difference and fails. */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int short_form(int, char *const *, const char *);
typedef int long_form(int, char *const *, const char *, const struct option *, int *);
short_form __symcrete_libc_getopt;
long_form __symcrete_libc_getopt_long, __symcrete_libc_getopt_long_only;

static uint64_t state = 88172645463325252u;
static unsigned draw(unsigned n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)(state >> 33) % n;
}

enum { MOST = 8, CALLS = 24 };
static const char *const words[] = {"-a",  "-b",    "-bx",   "-c",     "-cx",      "-ab",        "-abc",   "-z",     "--",     "-",     "file",   "--add",
                                    "--ad", "--a",   "--app", "--size", "--size=3", "--size=",    "--add=1", "--none", "--opt",  "--opt=v", "--ver", "--verb", "--verbose",
                                    "--verbatim", "-size", "-s",  "-W",     "-Wsize=7", "-Wadd",      "-W;",   "-add",   "-opt=1", "",      "x",      "--=",
                                    "-:",  "-a-",   "---",   "-Wx"};
static const char *const specs[] = {"ab:c::", "+ab:c::", "-ab:c::", ":ab:c::", "+:ab:c", "-:ab:W;", "abcsW;", "", ":", "W;a", "s:o::abc"};
static int flagged;
static const struct option names[] = {{"add", no_argument, NULL, 'A'},      {"append", no_argument, NULL, 'P'},
                                      {"size", required_argument, NULL, 's'}, {"opt", optional_argument, NULL, 'o'},
                                      {"verbose", no_argument, &flagged, 7}, {"verbatim", no_argument, &flagged, 7},
                                      {"version", no_argument, NULL, 'V'},  {NULL, 0, NULL, 0}};

/* What one round of calls showed. */
struct seen {
  int results[CALLS][5];
  char *arguments[CALLS];
  char *order[MOST + 1];
};

static void run(struct seen *seen, int argc, char **from, const char *spec, short_form *get, long_form *get_long) {
  memset(seen, 0, sizeof *seen);
  memcpy(seen->order, from, (argc + 1) * sizeof *from);
  optind = 0;
  for (int i = 0; i < CALLS; i++) {
    int index = -7;
    flagged = 0;
    optopt = 0;
    int result = get_long ? get_long(argc, seen->order, spec, names, &index) : get(argc, seen->order, spec);
    int all[5] = {result, optind, result == '?' || result == ':' ? optopt : 0, index, flagged};
    memcpy(seen->results[i], all, sizeof all);
    seen->arguments[i] = optarg;
    if (result == -1)
      break;
  }
}

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 20000;
  opterr = 0;
  for (long i = 0; i < rounds; i++) {
    char *list[MOST + 1] = {"program"};
    int count = draw(MOST);
    count += !count && draw(20);
    for (int at = 1; at < count; at++)
      list[at] = (char *)words[draw(sizeof words / sizeof *words)];
    const char *spec = specs[draw(sizeof specs / sizeof *specs)];
    int form = draw(3);
    if (draw(50) == 0)
      setenv("POSIXLY_CORRECT", "1", 1);
    else
      unsetenv("POSIXLY_CORRECT");
    struct seen native, model;
    run(&native, count, list, spec, getopt, form == 0 ? NULL : form == 1 ? getopt_long : getopt_long_only);
    run(&model, count, list, spec, __symcrete_libc_getopt,
        form == 0 ? NULL : form == 1 ? __symcrete_libc_getopt_long : __symcrete_libc_getopt_long_only);
    if (memcmp(&native, &model, sizeof native)) {
      printf("form %d, \"%s\":", form, spec);
      for (int at = 1; at < count; at++)
        printf(" '%s'", list[at]);
      for (int at = 0; at < CALLS; at++) {
        printf("\n  ");
        for (int k = 0; k < 5; k++)
          printf("%d/%d ", native.results[at][k], model.results[at][k]);
        printf("%s/%s", native.arguments[at] ? native.arguments[at] : "-", model.arguments[at] ? model.arguments[at] : "-");
        if (native.results[at][0] == -1)
          break;
      }
      puts("");
      return 1;
    }
  }
  puts("agreed");
  return 0;
}
