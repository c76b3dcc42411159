/* A plain program for replays: echoes what it is given, then dies as told. */
#include "../../include/symcrete.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends only at the end of the stack. */
__attribute__((noinline)) static void deep(volatile char *p) {
  char room[4096];
  memset(room, *p, sizeof room);
  if (p != NULL)
    deep(room);
  *p = room[1];
}

__attribute__((noinline)) static void crash(volatile int *p) { *p = 1; }

int main(int argc, char **argv) {
  char line[100] = "", file[100] = "";
  if (!fgets(line, sizeof line, stdin))
    line[0] = 0;
  FILE *f = fopen("data.txt", "r");
  if (f && !fgets(file, sizeof file, f))
    file[0] = 0;
  const char *setting = getenv("SETTING");
  int x = symcrete_int("x");
  symcrete_assume(x != 13);
  symcrete_target(3);
  printf("%s|%s|%s|%s|%d\n", line, argc > 1 ? argv[1] : "", setting ? setting : "", file, x);
  fflush(stdout);
  if (x == 1)
    abort();
  if (x == 2)
    crash((int *)16);
  if (x == 3)
    deep(line);
  return 0;
}
