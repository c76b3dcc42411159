#define _GNU_SOURCE
/* Ends with a number made of clocks and random numbers, before and behind two inputs; with 255 if hours of sleeping
 * and waiting do not show on the clock. */
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
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

/* Four hours for what nobody writes, in all ways there are; then for what is there, and for what a child writes. */
static int waits(void) {
  int ends[2];
  if (pipe(ends) != 0)
    return 0;
  struct timespec begin, end, hour = {3600, 0};
  struct timeval also = {3600, 0};
  struct pollfd one = {ends[0], POLLIN, 0};
  fd_set in;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  int ready = poll(&one, 1, 3600000) + ppoll(&one, 1, &hour, NULL);
  FD_ZERO(&in);
  FD_SET(ends[0], &in);
  ready += select(ends[0] + 1, &in, NULL, NULL, &also) + FD_ISSET(ends[0], &in);
  FD_SET(ends[0], &in);
  ready += pselect(ends[0] + 1, &in, NULL, NULL, &hour, NULL) + FD_ISSET(ends[0], &in);
  clock_gettime(CLOCK_MONOTONIC, &end);
  int passed = end.tv_sec - begin.tv_sec >= 14400 && end.tv_sec - begin.tv_sec < 14410 && also.tv_sec == 0;
  if (fork() == 0) {
    for (int i = 0; i < 20; i++)
      usleep(1000);
    _exit(write(ends[1], "a", 1) != 1);
  }
  also.tv_sec = 3600;
  FD_SET(ends[0], &in);
  int later = select(ends[0] + 1, &in, NULL, NULL, &also) == 1 && FD_ISSET(ends[0], &in);
  wait(NULL);
  int there = poll(&one, 1, 3600000) == 1 && one.revents == POLLIN;
  close(ends[0]);
  close(ends[1]);
  return ready == 0 && passed && later && there;
}

int main(void) {
  look();
  if (!sleeps() || !waits())
    return 255;
  sum += symcrete_uint("x");
  look();
  sum += symcrete_uint("x");
  look();
  return (int)(sum % 251);
}
