/* Runs a buffer subject N times on one file and prints the CPU nanoseconds of one run, and the subject's verdict.
 *
 * repeat FILE N. The clock is the process's own and starts after the file is read, and after one run that warms
 * caches and pages.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern int VERDICT;

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
  static uint8_t data[1 << 16];
  if (argc != 3)
    return 2;
  FILE *file = fopen(argv[1], "rb");
  if (!file)
    return 2;
  size_t size = fread(data, 1, sizeof data, file);
  fclose(file);
  long times = atol(argv[2]);
  LLVMFuzzerTestOneInput(data, size);
  double start = cpu_seconds();
  for (long i = 0; i < times; i++)
    LLVMFuzzerTestOneInput(data, size);
  printf("%.2f %d\n", (cpu_seconds() - start) * 1e9 / (double)times, VERDICT);
  return 0;
}
