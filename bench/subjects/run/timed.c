/* A buffer subject that takes its own time: after each run the CPU nanoseconds go, as 8 bytes, to the end of a file.
 *
 * Compile with -DSUBJECT="file.c" -DTIMES="file". Used inside a campaign (with --sandbox off, for the file lies
 * outside the program's folder), where only the program itself can tell a run from the fork before it.
 */
#include <fcntl.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#define LLVMFuzzerTestOneInput subject_entry
#include SUBJECT
#undef LLVMFuzzerTestOneInput

static int64_t cpu_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int64_t start = cpu_nanoseconds();
  subject_entry(data, size);
  int64_t taken = cpu_nanoseconds() - start;
  int file = open(TIMES, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (file >= 0) {
    ssize_t written = write(file, &taken, sizeof taken);
    (void)written;
    close(file);
  }
  return 0;
}
