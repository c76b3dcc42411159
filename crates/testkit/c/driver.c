/* Runs a program on many inputs, one forked process each, and writes down how every run ended.
 *
 * Linked into a native build of a case (plain, coverage or sanitizer; nothing of symcrete is in it) with
 * --wrap=__libc_start_main: all constructors have run when the loop starts, and each child goes on into the
 * program's own main as if it had just been started with that input. Coverage counters are mapped from a file
 * (continuous mode), so those of all children add up there, however a child ends.
 *
 * CASE_INPUTS names the file of inputs, CASE_ENDS the file of ends. All numbers are little-endian u32:
 *   inputs: count, then per input: milliseconds it may take, objects; per object: kind, name length, name, length, bytes
 *   ends:   per input: what (0 exit, 1 signal, 2 no end in time), code */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum kind { BUFFER = 1, STDIN, ARGUMENT, VARIABLE, NAMED_FILE, SOCKET, REQUEST };

struct object {
  uint32_t kind, length;
  char name[128];
  const uint8_t *bytes;
};

struct input {
  uint32_t milliseconds, count;
  struct object objects[1024];
};

/* The input of this process. */
static struct input *current;
static const uint8_t *cursor, *file_end;

__attribute__((noreturn)) static void give_up(const char *what) {
  fprintf(stderr, "driver: %s (%s)\n", what, strerror(errno));
  _exit(125);
}

static const uint8_t *take(uint32_t n) {
  if (n > (size_t)(file_end - cursor))
    give_up("the inputs are cut short");
  const uint8_t *at = cursor;
  cursor += n;
  return at;
}

static uint32_t number(void) {
  uint32_t n;
  memcpy(&n, take(4), 4);
  return n;
}

static void read_input(struct input *input) {
  input->milliseconds = number();
  input->count = number();
  if (input->count > 1024)
    give_up("too many objects in one input");
  for (uint32_t i = 0; i < input->count; i++) {
    struct object *o = &input->objects[i];
    o->kind = number();
    uint32_t name = number();
    if (name >= sizeof o->name)
      give_up("a name is too long");
    memcpy(o->name, take(name), name);
    o->name[name] = 0;
    o->length = number();
    o->bytes = take(o->length);
  }
}

static char *text_of(const struct object *o) {
  char *text = malloc(o->length + 1);
  memcpy(text, o->bytes, o->length);
  text[o->length] = 0;
  return text;
}

/* A pipe cannot hold more than its size: more than that is written by a process of its own. */
static void feed(int fd, const struct object *o) {
  if (o->length > 4096 && fork() != 0)
    return;
  for (uint32_t done = 0; done < o->length;) {
    ssize_t n = write(fd, o->bytes + done, o->length - done);
    if (n <= 0)
      break;
    done += n;
  }
  if (o->length > 4096)
    _exit(0);
}

/* Nothing comes in and nothing goes out, for all runs. */
static void close_streams(void) {
  int null = open("/dev/null", O_RDWR);
  dup2(null, 0);
  dup2(null, 1);
  if (!getenv("CASE_SHOW"))
    dup2(null, 2);
  if (null > 2)
    close(null);
}

static void put_in_place(int *argc, char ***argv) {
  char **arguments = calloc(current->count + 2, sizeof *arguments);
  arguments[0] = (*argv)[0];
  *argc = 1;
  int in = -1, pair[2];
  for (uint32_t i = 0; i < current->count; i++) {
    const struct object *o = &current->objects[i];
    switch (o->kind) {
    case STDIN:
      if (pipe(pair))
        give_up("no pipe");
      feed(pair[1], o);
      close(pair[1]);
      in = pair[0];
      break;
    case SOCKET:
      if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        give_up("no socket pair");
      feed(pair[1], o);
      shutdown(pair[1], SHUT_WR);
      /* The peer stays open for what the program writes. */
      fcntl(pair[1], F_DUPFD_CLOEXEC, 100);
      close(pair[1]);
      in = pair[0];
      dup2(in, 1);
      break;
    case ARGUMENT:
      arguments[(*argc)++] = text_of(o);
      break;
    case VARIABLE:
      setenv(o->name, text_of(o), 1);
      break;
    case NAMED_FILE: {
      int fd = open(o->name, O_CREAT | O_TRUNC | O_WRONLY, 0644);
      if (fd < 0 || write(fd, o->bytes, o->length) != (ssize_t)o->length)
        give_up("a file cannot be written");
      close(fd);
      break;
    }
    }
  }
  if (in > 2) {
    dup2(in, 0);
    close(in);
  }
  *argv = arguments;
}

static void limit(int what, rlim_t to) {
  struct rlimit l = {to, to};
  setrlimit(what, &l);
}

/* Waits until the deadline; what is left of the run's process group is killed in any case. */
static void watch(pid_t child, uint32_t milliseconds, uint32_t end[2]) {
  sigset_t chld;
  sigemptyset(&chld);
  sigaddset(&chld, SIGCHLD);
  struct timespec now, stop;
  clock_gettime(CLOCK_MONOTONIC, &stop);
  stop.tv_sec += milliseconds / 1000;
  stop.tv_nsec += milliseconds % 1000 * 1000000l;
  int status;
  for (;;) {
    if (waitpid(child, &status, WNOHANG) == child)
      break;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t left = (stop.tv_sec - now.tv_sec) * 1000000000ll + stop.tv_nsec - now.tv_nsec;
    if (left <= 0) {
      end[0] = 2;
      end[1] = 0;
      kill(-child, SIGKILL);
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return;
    }
    struct timespec rest = {left / 1000000000, left % 1000000000};
    sigtimedwait(&chld, NULL, &rest);
  }
  kill(-child, SIGKILL);
  end[0] = WIFSIGNALED(status);
  end[1] = end[0] ? WTERMSIG(status) : WEXITSTATUS(status);
}

/* The same for one of very many runs: a child that takes too long ends itself by SIGALRM. */
static void wait_simply(pid_t child, uint32_t end[2]) {
  int status;
  if (waitpid(child, &status, 0) != child)
    give_up("a child is lost");
  end[0] = WIFSIGNALED(status);
  end[1] = end[0] ? WTERMSIG(status) : WEXITSTATUS(status);
  if (end[0] && end[1] == SIGALRM)
    end[0] = 2, end[1] = 0;
}

static int (*program)(int, char **, char **);
extern char **environ;

/* Returns in the child only, with the input in place. */
static int runs(int argc, char **argv, char **environment) {
  const char *from = getenv("CASE_INPUTS"), *to = getenv("CASE_ENDS");
  if (!from || !to)
    return program(argc, argv, environment);
  int fd = open(from, O_RDONLY | O_CLOEXEC), ends = open(to, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  struct stat s;
  if (fd < 0 || ends < 0 || fstat(fd, &s))
    give_up("inputs or ends cannot be opened");
  cursor = mmap(NULL, s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (cursor == MAP_FAILED)
    give_up("the inputs cannot be mapped");
  file_end = cursor + s.st_size;
  close(fd);
  unsetenv("CASE_INPUTS");
  unsetenv("CASE_ENDS");
  uint32_t count = number();
  /* With very many runs every system call counts. */
  int many = count > 4096;
  sigset_t chld, before;
  sigemptyset(&chld);
  sigaddset(&chld, SIGCHLD);
  sigprocmask(many ? SIG_UNBLOCK : SIG_BLOCK, &chld, &before);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 64 << 20);
  close_streams();
  current = malloc(sizeof *current);
  uint32_t (*all)[2] = calloc(count, sizeof *all);
  for (uint32_t i = 0; i < count; i++) {
    read_input(current);
    pid_t child = fork();
    if (child < 0)
      give_up("no process");
    if (child == 0 && many)
      alarm((current->milliseconds + 999) / 1000);
    if (child == 0 && !many) {
      setsid(); /* no job of a shell: what suspends itself goes on */
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      sigprocmask(SIG_SETMASK, &before, NULL);
      close(ends);
      char name[] = "run-XXXXXX";
      if (!mkdtemp(name) || chdir(name))
        give_up("no folder");
    }
    if (child == 0) {
      put_in_place(&argc, &argv);
      return program(argc, argv, environ);
    }
    if (many)
      wait_simply(child, all[i]);
    else
      watch(child, current->milliseconds, all[i]);
  }
  if (write(ends, all, count * sizeof *all) != (ssize_t)(count * sizeof *all))
    give_up("the ends cannot be written");
  _exit(0);
}

typedef int main_function(int, char **, char **);
int __real___libc_start_main(main_function *, int, char **, void *, void *, void *, void *);
int __wrap___libc_start_main(main_function *m, int argc, char **argv, void *a, void *b, void *c, void *d);
int __wrap___libc_start_main(main_function *m, int argc, char **argv, void *a, void *b, void *c, void *d) {
  program = m;
  return __real___libc_start_main(runs, argc, argv, a, b, c, d);
}

/* Targets without a main. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) __attribute__((weak));
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
void symcrete_harness(void) __attribute__((weak));

__attribute__((weak)) int main(int argc, char **argv) {
  if (LLVMFuzzerInitialize)
    LLVMFuzzerInitialize(&argc, &argv);
  if (symcrete_harness) {
    symcrete_harness();
    return 0;
  }
  if (!LLVMFuzzerTestOneInput)
    give_up("nothing to run");
  for (uint32_t i = 0; current && i < current->count; i++) {
    const struct object *o = &current->objects[i];
    if (o->kind != BUFFER)
      continue;
    uint8_t *data = malloc(o->length ? o->length : 1);
    memcpy(data, o->bytes, o->length);
    LLVMFuzzerTestOneInput(data, o->length);
    free(data);
  }
  return 0;
}

/* What a program may ask for while it runs, answered from the recorded objects in their order. */
static void answer(void *p, size_t n) {
  static uint32_t next;
  memset(p, 0, n);
  while (current && next < current->count && current->objects[next].kind != REQUEST)
    next++;
  if (!current)
    return;
  /* The recorded run was ended while it was asking for more: so is this one. */
  if (next >= current->count)
    _exit(0);
  const struct object *o = &current->objects[next++];
  memcpy(p, o->bytes, o->length < n ? o->length : n);
}

static void must_hold(int condition) {
  if (!condition)
    _exit(0);
}

#define ANSWER(type, function, parameters)                                                                   \
  type function parameters;                                                                                  \
  __attribute__((weak)) type function parameters {                                                           \
    type value;                                                                                              \
    answer(&value, sizeof value);                                                                            \
    return value;                                                                                            \
  }
#define NAMED(type, function) ANSWER(type, function, (const char *name __attribute__((unused))))

NAMED(signed char, symcrete_char)
NAMED(unsigned char, symcrete_uchar)
NAMED(short, symcrete_short)
NAMED(unsigned short, symcrete_ushort)
NAMED(int, symcrete_int)
NAMED(unsigned, symcrete_uint)
NAMED(long, symcrete_long)
NAMED(unsigned long, symcrete_ulong)
NAMED(long long, symcrete_longlong)
NAMED(unsigned long long, symcrete_ulonglong)
NAMED(float, symcrete_float)
NAMED(double, symcrete_double)
ANSWER(int, __VERIFIER_nondet_int, (void))
ANSWER(unsigned, __VERIFIER_nondet_uint, (void))
ANSWER(char, __VERIFIER_nondet_char, (void))
ANSWER(unsigned char, __VERIFIER_nondet_uchar, (void))
ANSWER(short, __VERIFIER_nondet_short, (void))
ANSWER(unsigned short, __VERIFIER_nondet_ushort, (void))
ANSWER(long, __VERIFIER_nondet_long, (void))
ANSWER(unsigned long, __VERIFIER_nondet_ulong, (void))
ANSWER(unsigned __int128, __VERIFIER_nondet_uint128, (void))

int symcrete_bool(const char *name);
__attribute__((weak)) int symcrete_bool(const char *name) {
  unsigned char byte;
  (void)name;
  answer(&byte, 1);
  return byte & 1;
}
_Bool __VERIFIER_nondet_bool(void);
__attribute__((weak)) _Bool __VERIFIER_nondet_bool(void) { return symcrete_bool(0); }
unsigned symcrete_choice(unsigned count, const char *name);
__attribute__((weak)) unsigned symcrete_choice(unsigned count, const char *name) {
  unsigned char byte;
  (void)count, (void)name;
  answer(&byte, 1);
  return byte;
}
void symcrete_bytes(void *p, size_t n, const char *name);
__attribute__((weak)) void symcrete_bytes(void *p, size_t n, const char *name) {
  (void)name;
  answer(p, n);
}
void klee_make_symbolic(void *p, size_t n, const char *name);
__attribute__((weak)) void klee_make_symbolic(void *p, size_t n, const char *name) {
  (void)name;
  answer(p, n);
}
void symcrete_assume(int condition);
__attribute__((weak)) void symcrete_assume(int condition) { must_hold(condition); }
void klee_assume(uintptr_t condition);
__attribute__((weak)) void klee_assume(uintptr_t condition) { must_hold(condition != 0); }
void __VERIFIER_assume(int condition);
__attribute__((weak)) void __VERIFIER_assume(int condition) { must_hold(condition); }
void symcrete_target(unsigned number);
__attribute__((weak)) void symcrete_target(unsigned number) { (void)number; }
void __VERIFIER_error(void);
__attribute__((weak)) void __VERIFIER_error(void) { abort(); }
