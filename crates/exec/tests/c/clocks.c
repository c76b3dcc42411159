/* Ends with a number made of clocks and random numbers, before and behind two inputs; with 255 if hours of sleep do not
 * show on the clock. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "symcrete.h"

static uint64_t sum;

static void look(void) {
  uint32_t word = 0;
  struct timespec now;
  struct timeval also;
  clock_gettime(CLOCK_MONOTONIC, &now);
  gettimeofday(&also, NULL);
  sum = sum * 31 + (uint64_t)time(NULL) + (uint64_t)now.tv_nsec + (uint64_t)also.tv_usec + (uint64_t)clock();
  if (getrandom(&word, sizeof word, 0) == sizeof word)
    sum = sum * 31 + word;
  int fd = open("/dev/urandom", O_RDONLY);
  if (fd >= 0 && read(fd, &word, sizeof word) == sizeof word)
    sum = sum * 31 + word;
  close(fd);
  FILE *file = fopen("/dev/urandom", "r");
  if (file && fread(&word, sizeof word, 1, file) == 1)
    sum = sum * 31 + word;
  if (file)
    fclose(file);
}

/* Five hours, in all ways there are. */
static int sleeps(void) {
  struct timespec begin, end, hour = {3600, 0};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  int woken = (int)sleep(3600) | usleep(999999) | nanosleep(&hour, NULL) | clock_nanosleep(CLOCK_MONOTONIC, 0, &hour, NULL);
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += 7200;
  woken |= clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return woken == 0 && end.tv_sec - begin.tv_sec >= 18000 && end.tv_sec - begin.tv_sec < 18010;
}

int main(void) {
  look();
  if (!sleeps())
    return 255;
  sum += symcrete_uint("x");
  look();
  sum += symcrete_uint("x");
  look();
  return (int)(sum % 251);
}
