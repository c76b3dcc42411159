/* Models: input through descriptors. The native call moves the bytes; the model decides, by ordinary
 * branches on the object's length, whether there were enough of them, and labels them. */
#include "model.h"
#include "native.h"
#include <unistd.h>

ssize_t MODEL(read)(int fd, void *p, size_t n);
ssize_t MODEL(pread)(int fd, void *p, size_t n, off_t at);
ssize_t MODEL(recv)(int fd, void *p, size_t n, int flags);
ssize_t MODEL(recvfrom)(int fd, void *p, size_t n, int flags, struct sockaddr *from, socklen_t *size);
off_t MODEL(lseek)(int fd, off_t at, int whence);
int MODEL(fstat)(int fd, struct stat *s);
void *MODEL(mmap)(void *p, size_t n, int protection, int flags, int fd, off_t at);
int MODEL(munmap)(void *p, size_t n);

/* How far each object has been read: its value is always the real position, its label says how that came
 * about (a short read leaves the position at the object's length, whatever that is). */
enum { OBJECTS = 256 };
static uint64_t positions[OBJECTS];

/* How many of `wanted` bytes there are from `at` on. */
static uint64_t available(int object, uint64_t at, uint64_t wanted) {
  uint64_t length = __symcrete_model_length(object);
  /* Behind the end there is nothing. */
  if (length < at) {
    DECIDED;
    return 0;
  }
  uint64_t rest = length - at;
  if (rest < wanted) {
    DECIDED;
    return rest;
  }
  return wanted;
}

/* A native read at `at` gave `got` bytes. The answer has the label of the decision. */
static ssize_t delivered(int object, void *p, uint64_t at, size_t wanted, ssize_t got) {
  if (got < 0)
    return got;
  __symcrete_model_label(p, got, object, at);
  uint64_t expected = available(object, at, wanted);
  __symcrete_model_settle(&expected, got);
  return expected;
}

ssize_t MODEL(read)(int fd, void *p, size_t n) {
  __symcrete_model_input(fd, NULL);
  int object = __symcrete_model_object(fd);
  if (object < 0 || object >= OBJECTS) {
    ssize_t got = NATIVE(read)(fd, p, n);
    if (got > 0)
      __symcrete_model_clear(p, got);
    return got;
  }
  __symcrete_model_settle(&positions[object], __symcrete_model_position(object, fd));
  uint64_t at = positions[object];
  ssize_t real = NATIVE(read)(fd, p, n);
  ssize_t got = delivered(object, p, at, n, real);
  if (real >= 0)
    positions[object] = at + got;
  return got;
}

ssize_t MODEL(pread)(int fd, void *p, size_t n, off_t at) {
  int object = __symcrete_model_object(fd);
  at = __symcrete_model_fix(at, LOST_ADDRESS);
  ssize_t got = NATIVE(pread)(fd, p, n, at);
  if (object >= 0 && at >= 0)
    return delivered(object, p, at, n, got);
  if (got > 0)
    __symcrete_model_clear(p, got);
  return got;
}

ssize_t MODEL(recvfrom)(int fd, void *p, size_t n, int flags, struct sockaddr *from, socklen_t *size) {
  __symcrete_model_input(fd, NULL);
  int object = __symcrete_model_object(fd);
  if (object < 0 || object >= OBJECTS) {
    ssize_t got = NATIVE(recvfrom)(fd, p, n, flags, from, size);
    if (got > 0)
      __symcrete_model_clear(p, got);
    return got;
  }
  __symcrete_model_settle(&positions[object], __symcrete_model_position(object, fd));
  uint64_t at = positions[object];
  ssize_t real = NATIVE(recvfrom)(fd, p, n, flags, from, size);
  ssize_t got = delivered(object, p, at, n, real);
  if (real >= 0 && !(flags & MSG_PEEK))
    positions[object] = at + got;
  return got;
}

ssize_t MODEL(recv)(int fd, void *p, size_t n, int flags) { return MODEL(recvfrom)(fd, p, n, flags, NULL, NULL); }

off_t MODEL(lseek)(int fd, off_t at, int whence) {
  int object = __symcrete_model_object(fd);
  /* What is read next depends on it. */
  at = __symcrete_model_fix(at, LOST_ADDRESS);
  off_t result = NATIVE(lseek)(fd, at, whence);
  if (object < 0 || object >= OBJECTS || result < 0)
    return result;
  uint64_t position = at;
  if (whence == SEEK_END)
    position = __symcrete_model_length(object) + at;
  else if (whence == SEEK_CUR)
    position = positions[object] + at;
  __symcrete_model_settle(&position, result);
  positions[object] = position;
  return position;
}

int MODEL(fstat)(int fd, struct stat *s) {
  int object = __symcrete_model_object(fd);
  int failed = NATIVE(fstat)(fd, s);
  if (failed)
    return failed;
  __symcrete_model_clear(s, sizeof *s);
  if (object >= 0 && S_ISREG(s->st_mode)) {
    uint64_t size = __symcrete_model_length(object);
    __symcrete_model_settle(&size, s->st_size);
    s->st_size = size;
  }
  return failed;
}

void *MODEL(mmap)(void *p, size_t n, int protection, int flags, int fd, off_t at) {
  n = __symcrete_model_fix(n, LOST_LENGTH);
  at = __symcrete_model_fix(at, LOST_ADDRESS);
  void *result = NATIVE(mmap)(p, n, protection, flags, fd, at);
  if (result == MAP_FAILED)
    return result;
  __symcrete_model_clear(result, n);
  int object = flags & MAP_ANONYMOUS ? -1 : __symcrete_model_object(fd);
  if (object >= 0 && (protection & PROT_READ)) {
    /* Only the bytes of the file: what lies behind its end is zero, or not there at all. */
    struct stat s;
    if (!NATIVE(fstat)(fd, &s) && s.st_size > at) {
      size_t rest = s.st_size - at;
      __symcrete_model_label(result, rest < n ? rest : n, object, at);
    }
  }
  return result;
}

int MODEL(munmap)(void *p, size_t n) {
  int failed = NATIVE(munmap)(p, n);
  if (!failed)
    __symcrete_model_clear(p, n);
  return failed;
}
