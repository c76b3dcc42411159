/* The clock and the machine's random numbers, for programs whose runs are recorded or replayed: the same in every run,
 * so that what was found is found again. Without an engine or a replay they are the real ones.
 *
 * Every look at a clock is one millisecond later than the one before. Sleeping sets the clock forward, and lasts a
 * millisecond at most: nothing but other processes and threads could do anything meanwhile. Nor does waiting for
 * descriptors in a program that has neither: what it was given is there from the start. Random numbers come from one
 * fixed sequence, also those read from /dev/urandom. All of it is memory of the program, so a copy of the process has
 * it, too.
 * Weak: a program that defines one of these keeps its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WEAK __attribute__((weak))

int __symcrete_engine(void) WEAK;

/* The library's own names. */
FILE *_IO_fopen(const char *path, const char *mode);
int __open(const char *path, int flags, ...);

uint32_t arc4random(void);
uint32_t arc4random_uniform(uint32_t bound);
void arc4random_buf(void *p, size_t n);

enum { MILLISECOND = 1000000, SECOND = 1000000000, NOISE = 1 << 16 };

/* 2024-01-01 00:00:00 UTC, and the age of a machine that has been up for a while. */
static const int64_t since_1970 = 1704067200, since_start = 1000;
static uint64_t looks, sequence;

static int fixed(void) { return __symcrete_engine && __symcrete_engine(); }

static uint64_t next(void) {
  uint64_t z = sequence += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static void fill(void *p, size_t n) {
  for (size_t i = 0; i < n; i++)
    ((unsigned char *)p)[i] = (unsigned char)(next() >> 32);
}

static struct timespec look(int64_t start) {
  uint64_t passed = ++looks * MILLISECOND;
  return (struct timespec){start + (int64_t)(passed / SECOND), (long)(passed % SECOND)};
}

WEAK int clock_gettime(clockid_t which, struct timespec *now) {
  if (!fixed())
    return (int)syscall(SYS_clock_gettime, which, now);
  *now = look(which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE ? since_1970 : since_start);
  return 0;
}

WEAK time_t time(time_t *to) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (to)
    *to = now.tv_sec;
  return now.tv_sec;
}

WEAK int gettimeofday(struct timeval *restrict to, void *restrict zone) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *to = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  if (zone)
    memset(zone, 0, sizeof(struct timezone));
  return 0;
}

WEAK int timespec_get(struct timespec *to, int base) {
  if (base != TIME_UTC)
    return 0;
  clock_gettime(CLOCK_REALTIME, to);
  return base;
}

WEAK clock_t clock(void) {
  struct timespec now;
  if (!fixed())
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) ? -1 : now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / 1000;
  now = look(0);
  return now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / 1000;
}

static void pass(const struct timespec *time) {
  looks += (uint64_t)time->tv_sec * (SECOND / MILLISECOND) + (uint64_t)time->tv_nsec / MILLISECOND;
}

static int is_long(const struct timespec *time) {
  return time->tv_nsec >= 0 && time->tv_nsec < SECOND && time->tv_sec >= (time->tv_nsec <= MILLISECOND);
}

static const struct timespec moment = {0, MILLISECOND};

WEAK int nanosleep(const struct timespec *wanted, struct timespec *left) {
  if (!fixed() || !is_long(wanted))
    return (int)syscall(SYS_nanosleep, wanted, left);
  pass(wanted);
  return (int)syscall(SYS_nanosleep, &moment, left);
}

WEAK int clock_nanosleep(clockid_t which, int flags, const struct timespec *wanted, struct timespec *left) {
  if (!fixed())
    return syscall(SYS_clock_nanosleep, which, flags, wanted, left) ? errno : 0;
  struct timespec rest = *wanted, now;
  if (flags & TIMER_ABSTIME) {
    clock_gettime(which, &now);
    rest.tv_sec -= now.tv_sec + (rest.tv_nsec < now.tv_nsec);
    rest.tv_nsec += (rest.tv_nsec < now.tv_nsec ? SECOND : 0) - now.tv_nsec;
    if (rest.tv_sec < 0)
      return 0;
  }
  return nanosleep(&rest, left) ? errno : 0;
}

WEAK int usleep(useconds_t time) {
  return nanosleep(&(struct timespec){time / 1000000, time % 1000000 * 1000}, NULL);
}

WEAK unsigned sleep(unsigned seconds) {
  struct timespec left = {0, 0};
  if (nanosleep(&(struct timespec){seconds, 0}, &left) == 0)
    return 0;
  return fixed() ? 0 : (unsigned)left.tv_sec + (left.tv_nsec > 0);
}

/* No thread, no child: nobody who could still write what is waited for. */
static int is_alone(void) {
  siginfo_t child;
  return __libc_single_threaded && waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD;
}

WEAK int ppoll(struct pollfd *all, nfds_t n, const struct timespec *wanted, const sigset_t *mask) {
  int known = errno, brief = wanted && fixed() && is_long(wanted) && is_alone();
  errno = known;
  struct timespec rest;
  if (wanted)
    rest = brief ? moment : *wanted;
  int ready = (int)syscall(SYS_ppoll, all, n, wanted ? &rest : NULL, mask, _NSIG / 8);
  if (brief && ready == 0)
    pass(wanted);
  return ready;
}

WEAK int poll(struct pollfd *all, nfds_t n, int wanted) {
  return ppoll(all, n, wanted < 0 ? NULL : &(struct timespec){wanted / 1000, wanted % 1000 * MILLISECOND}, NULL);
}

/* The system's own call says what is left of the time, as `select` does and `pselect` does not. */
static int wait_for(int n, fd_set *in, fd_set *out, fd_set *bad, struct timespec *wanted, const sigset_t *mask) {
  struct {
    const sigset_t *mask;
    size_t size;
  } masked = {mask, _NSIG / 8};
  int known = errno, brief = wanted && fixed() && is_long(wanted) && is_alone();
  errno = known;
  struct timespec rest = brief ? moment : (struct timespec){0, 0};
  int ready = (int)syscall(SYS_pselect6, n, in, out, bad, brief ? &rest : wanted, &masked);
  if (brief && ready == 0) {
    pass(wanted);
    *wanted = rest;
  }
  return ready;
}

WEAK int pselect(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict bad,
                 const struct timespec *restrict wanted, const sigset_t *restrict mask) {
  struct timespec rest;
  if (wanted)
    rest = *wanted;
  return wait_for(n, in, out, bad, wanted ? &rest : NULL, mask);
}

WEAK int select(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict bad,
                struct timeval *restrict wanted) {
  if (!wanted)
    return wait_for(n, in, out, bad, NULL, NULL);
  /* More microseconds than a second has are allowed here. */
  struct timespec rest = {wanted->tv_sec + wanted->tv_usec / 1000000, wanted->tv_usec % 1000000 * 1000};
  int ready = wait_for(n, in, out, bad, &rest, NULL);
  *wanted = (struct timeval){rest.tv_sec, rest.tv_nsec / 1000};
  return ready;
}

WEAK ssize_t getrandom(void *p, size_t n, unsigned flags) {
  if (!fixed())
    return syscall(SYS_getrandom, p, n, flags);
  fill(p, n);
  return (ssize_t)n;
}

WEAK int getentropy(void *p, size_t n) {
  if (n <= 256 && fixed()) {
    fill(p, n);
    return 0;
  }
  return n <= 256 && syscall(SYS_getrandom, p, n, 0) == (long)n ? 0 : -1;
}

WEAK void arc4random_buf(void *p, size_t n) {
  for (size_t done = 0; done < n;) {
    ssize_t got = getrandom((char *)p + done, n - done, 0);
    done += got > 0 ? (size_t)got : 0;
  }
}

WEAK uint32_t arc4random(void) {
  uint32_t value;
  arc4random_buf(&value, sizeof value);
  return value;
}

/* Evenly: what would make small values likelier is drawn again. */
WEAK uint32_t arc4random_uniform(uint32_t bound) {
  if (bound < 2)
    return 0;
  uint32_t value, least = -bound % bound;
  do
    value = arc4random();
  while (value < least);
  return value % bound;
}

static int is_noise(const char *path) {
  return path && (!strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random")) && fixed();
}

/* A file that holds more than anyone reads of it. */
static int noise(int flags) {
  unsigned char bytes[NOISE];
  int fd = memfd_create("random", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
  fill(bytes, sizeof bytes);
  if (fd >= 0 && (write(fd, bytes, sizeof bytes) < 0 || lseek(fd, 0, SEEK_SET) != 0)) {
    close(fd);
    return -1;
  }
  return fd;
}

#define OPEN(name)                                                                                           \
  WEAK int name(const char *path, int flags, ...) {                                                          \
    va_list list;                                                                                            \
    va_start(list, flags);                                                                                   \
    unsigned mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, unsigned) : 0;                            \
    va_end(list);                                                                                            \
    return is_noise(path) ? noise(flags) : __open(path, flags, mode);                                        \
  }
OPEN(open)
OPEN(open64)

static FILE *open_stream(const char *path, const char *mode) {
  if (!is_noise(path))
    return _IO_fopen(path, mode);
  int fd = noise(0);
  return fd < 0 ? NULL : fdopen(fd, "r");
}

WEAK FILE *fopen(const char *restrict path, const char *restrict mode) { return open_stream(path, mode); }
WEAK FILE *fopen64(const char *restrict path, const char *restrict mode) { return open_stream(path, mode); }
