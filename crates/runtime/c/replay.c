/* Puts a recorded test in place in a plain build: no instrumentation, no engine. libsymcrete_replay.a holds
 * this, replay_main.c (a `main` for harness targets), requests.c and clocks.c.
 *
 * SYMCRETE_TEST names a file: `u32` number of sources, that many records as in `abi::input::Source`, then
 * the input as it lies in shared memory (`u32` number of objects, their lengths, their bytes). Without it
 * the program runs as it is, and requests are answered with zeros. */
#define _GNU_SOURCE
#include "replay.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind { BUFFER = 1, STDIN, ARGUMENT, VARIABLE, NAMED_FILE, SOCKET };

struct source {
  uint8_t kind, exact;
  uint16_t name_length;
  uint32_t capacity;
  char name[120];
};

static struct {
  const struct source *sources;
  uint32_t source_count, object_count;
  const uint32_t *lengths;
  const uint8_t *bytes, *end;
  /* Requests answered so far. */
  uint32_t served;
  /* Whoever the program forks is not part of the test. */
  pid_t owner;
} test;

static int replaying;

/* Whether somebody replays a test: clocks.c asks. */
int __symcrete_engine(void);
int __symcrete_engine(void) { return replaying; }

static void give_up(const char *what) {
  fprintf(stderr, "symcrete replay: %s\n", what);
  _exit(125);
}

static const uint8_t *object(uint32_t i, uint32_t *length) {
  *length = 0;
  if (i >= test.object_count)
    return NULL;
  const uint8_t *at = test.bytes;
  for (uint32_t j = 0; j < i; j++)
    at += test.lengths[j];
  if (at > test.end || test.lengths[i] > test.end - at)
    give_up("the test file is cut short");
  *length = test.lengths[i];
  return at;
}

static void load(const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat s;
  if (fd < 0 || fstat(fd, &s)) {
    perror(path);
    _exit(125);
  }
  size_t size = s.st_size;
  const uint8_t *base = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  close(fd);
  if (base == MAP_FAILED || size < 8)
    give_up("the test file cannot be read");
  memcpy(&test.source_count, base, 4);
  size_t input = 4 + (size_t)test.source_count * sizeof(struct source);
  if (input + 4 > size)
    give_up("the test file is cut short");
  test.sources = (const struct source *)(base + 4);
  memcpy(&test.object_count, base + input, 4);
  if (input + 4 + 4 * (size_t)test.object_count > size)
    give_up("the test file is cut short");
  test.lengths = (const uint32_t *)(base + input + 4);
  test.bytes = base + input + 4 + 4 * (size_t)test.object_count;
  test.end = base + size;
}

static void all(int fd, const uint8_t *bytes, size_t n) {
  while (n > 0) {
    ssize_t written = write(fd, bytes, n);
    if (written <= 0)
      give_up("the input cannot be written");
    bytes += written, n -= written;
  }
}

static void standard_input(const uint8_t *bytes, uint32_t n) {
  int fd = memfd_create("stdin", 0);
  if (fd < 0)
    give_up("no memory for standard input");
  all(fd, bytes, n);
  lseek(fd, 0, SEEK_SET);
  if (fd != 0) {
    dup2(fd, 0);
    close(fd);
  }
}

static void connect_socket(const uint8_t *bytes, uint32_t n) {
  int pair[2], size = 4 << 20;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
    give_up("no socket");
  setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  int far = fcntl(pair[1], F_DUPFD_CLOEXEC, 200);
  if (far < 0)
    far = pair[1];
  else
    close(pair[1]);
  all(far, bytes, n);
  shutdown(far, SHUT_WR);
  dup2(pair[0], 0);
  dup2(pair[0], 1);
  if (pair[0] > 1)
    close(pair[0]);
}

static char *string(const struct source *source, const char *prefix, const uint8_t *bytes, uint32_t n) {
  size_t before = strlen(prefix);
  char *text = calloc(1, before + source->capacity + 1);
  if (!text)
    give_up("no memory for a string");
  memcpy(text, prefix, before);
  memcpy(text + before, bytes, n < source->capacity ? n : source->capacity);
  return text;
}

/* Before other constructors, as far as the order of libraries allows. */
__attribute__((constructor(101))) static void begin(int argc, char **argv, char **envp) {
  const char *path = getenv("SYMCRETE_TEST");
  replaying = path || getenv("SYMCRETE_REPORT");
  symcrete_replay_report();
  if (!path)
    return;
  load(path);
  test.owner = getpid();
  unsetenv("SYMCRETE_TEST");
  (void)envp;
  int arguments = 0;
  for (uint32_t i = 0; i < test.source_count; i++) {
    const struct source *source = &test.sources[i];
    char name[sizeof source->name] = "", prefix[sizeof source->name + 1];
    uint32_t n;
    const uint8_t *bytes = object(i, &n);
    if (!bytes)
      continue;
    if (n > source->capacity)
      n = source->capacity;
    memcpy(name, source->name, source->name_length < sizeof name ? source->name_length : sizeof name - 1);
    switch (source->kind) {
    case STDIN:
      standard_input(bytes, n);
      break;
    case SOCKET:
      connect_socket(bytes, n);
      break;
    case ARGUMENT:
      if (++arguments < argc)
        argv[arguments] = string(source, "", bytes, n);
      break;
    case VARIABLE:
      snprintf(prefix, sizeof prefix, "%s=", name);
      putenv(string(source, prefix, bytes, n));
      break;
    case NAMED_FILE: {
      int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
      if (fd < 0)
        give_up("an input file cannot be written");
      all(fd, bytes, n);
      close(fd);
      break;
    }
    }
  }
}

uint8_t *symcrete_replay_buffer(size_t *size) {
  for (uint32_t i = 0; i < test.source_count; i++) {
    uint32_t n;
    const uint8_t *bytes = object(i, &n);
    if (test.sources[i].kind != BUFFER || !bytes)
      continue;
    /* A block of just this size: a checked build sees what goes past it. */
    uint8_t *copy = malloc(n);
    if (copy)
      memcpy(copy, bytes, n);
    *size = n;
    return copy;
  }
  *size = 0;
  return malloc(0);
}

void __symcrete_request(void *p, uint64_t n, unsigned kind, const char *name, uint64_t key, unsigned width);
void __symcrete_assume(uint64_t condition, uint64_t key);
void __symcrete_assume_range(int number, int begin, int end, uint64_t key);
void __symcrete_target(unsigned number, uint64_t key);

void __symcrete_request(void *p, uint64_t n, unsigned kind, const char *name, uint64_t key, unsigned width) {
  (void)kind, (void)name, (void)key, (void)width;
  if (test.sources && getpid() != test.owner) {
    memset(p, 0, n);
    return;
  }
  uint32_t length, index = test.source_count + test.served++;
  /* The recorded run was ended while it was asking for more: so is this one. */
  if (test.sources && index >= test.object_count)
    _exit(0);
  const uint8_t *bytes = object(index, &length);
  memset(p, 0, n);
  if (bytes)
    memcpy(p, bytes, length < n ? length : n);
}

/* A test that does not meet an assumption ends well. */
void __symcrete_assume(uint64_t condition, uint64_t key) {
  (void)key;
  if (!condition)
    _exit(0);
}

void __symcrete_assume_range(int number, int begin, int end, uint64_t key) {
  (void)key;
  if (number < begin || number >= end)
    _exit(0);
}

void __symcrete_target(unsigned number, uint64_t key) {
  (void)key;
  symcrete_replay_target(number);
}
