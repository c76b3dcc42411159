/* Reads every kind of source and asks for values, instrumented by hand: says what it got on descriptor 9
 * (a file `got` in the working directory), and leaves decisions on it in the trace. */
#include "../../include/symcrete.h"
#include "slow.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

UNIT(7)

int __symcrete_model_object(int fd);
uint64_t __symcrete_model_length(int object);
uint64_t __symcrete_model_position(int object, int fd);
void __symcrete_model_label(const void *p, uint64_t n, int object, uint64_t offset);
int __VERIFIER_nondet_int(void);
_Bool __VERIFIER_nondet_bool(void);
int klee_range(int begin, int end, const char *name);

/* A decision on the byte at `p`. */
static void look(const char *p, uint32_t site) {
  uint32_t label = slow_load(p, 1, (unsigned char)*p, site, site_base);
  int taken = *p == 'x';
  slow_branch(slow_binary(EQ, 8, label, 0, (unsigned char)*p, 'x', taken), taken, site, site_base);
}

static void read_object(int fd, char *to, uint32_t site, FILE *got) {
  int object = __symcrete_model_object(fd);
  uint64_t at = object < 0 ? 0 : __symcrete_model_position(object, fd);
  ssize_t n = read(fd, to, 40);
  fprintf(got, "%d %zd %.*s\n", object, n, (int)n, to);
  if (object < 0 || n <= 0)
    return;
  __symcrete_model_label(to, n, object, at);
  uint64_t length = __symcrete_model_length(object);
  uint32_t label = result_of(__symcrete_model_length);
  int taken = 3 < length;
  slow_branch(slow_binary(ULT, 64, 0, label, 3, length, taken), taken, site, site_base);
  look(to, site);
}

int main(int argc, char **argv) {
  char from_stdin[64], from_file[64];
  FILE *got = fopen("got", "w");
  if (!got)
    return 9;
  fprintf(got, "%d %s %s\n", argc, argc > 1 ? argv[1] : "none", getenv("SETTING") ? getenv("SETTING") : "none");
  if (__symcrete_mode && argc > 1) {
    look(argv[1], 0);
    look(getenv("SETTING"), 1);
    look(getenv("SETTING") + 4, 2);
  }
  read_object(0, from_stdin, 3, got);
  int fd = open("./data.txt", O_RDONLY);
  if (fd >= 0)
    read_object(fd, from_file, 4, got);

  int x = symcrete_int("x");
  uint32_t label = result_of(symcrete_int);
  slow_branch(slow_binary(EQ, 32, label, 0, (uint32_t)x, 7, x == 7), x == 7, 5, site_base);
  unsigned char bytes[3];
  symcrete_bytes(bytes, 3, "three");
  look((char *)bytes + 1, 6);
  int bit = symcrete_bool("bit");
  label = result_of(symcrete_bool);
  slow_branch(slow_binary(EQ, 32, label, 0, bit, 1, bit == 1), bit == 1, 7, site_base);
  int in_range = klee_range(-2147483647, 2147483647, "range");
  double d = symcrete_double("d");
  label = result_of(symcrete_double);
  fprintf(got, "%d %02x%02x%02x %d %d %a %d\n", x, bytes[0], bytes[1], bytes[2], bit, in_range, d, label != 0);
  symcrete_target(42);
  /* The caller's side of a call that carries a label. */
  label = slow_load(bytes + 1, 1, bytes[1], 0, 0);
  __symcrete_block.arguments[0] = slow_unary(ZEXT, 32, 8, label, bytes[1], bytes[1]);
  __symcrete_block.count = 1;
  __symcrete_block.stamp = (uint64_t)symcrete_assume;
  fflush(got);
  symcrete_assume(bytes[1]);
  fprintf(got, "went on\n");
  fclose(got);
  return __symcrete_mode && __symcrete_block.stamp ? 8 : 0;
}
