/* Does what targets may do to a runtime; the first byte of standard input says which. */
#define _GNU_SOURCE
#include "slow.h"
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

UNIT(9)

int __symcrete_model_object(int fd);
void __symcrete_model_label(const void *p, uint64_t n, int object, uint64_t offset);

static char input[16];

static void decide(uint32_t site) {
  uint32_t label = slow_load(input, 1, (unsigned char)input[0], site, site_base);
  int taken = input[0] == '?';
  uint32_t equal = slow_binary(EQ, 8, label, 0, (unsigned char)input[0], '?', taken);
  slow_branch(equal, taken, site, site_base);
}

static void *thread(void *p) {
  decide(3);
  return p;
}

static void handler(int signal) {
  (void)signal;
  decide(4);
}

static jmp_buf out;
static void jumper(int signal) {
  (void)signal;
  decide(5);
  longjmp(out, 1);
}

static void crash_here(int signal) {
  (void)signal;
  _exit(33);
}

/* Ends only at the end of the stack. */
__attribute__((noinline)) static int deep(volatile char *p) {
  char room[1000];
  memset(room, *p, sizeof room);
  return p != NULL ? deep(room) + room[1] : 0;
}

int main(void) {
  int object = __symcrete_model_object(0);
  ssize_t n = read(0, input, sizeof input);
  if (n <= 0)
    return 1;
  __symcrete_model_label(input, n, object, 0);
  __symcrete_model_consumed();
  decide(0);
  switch (input[0]) {
  case 'f': { /* a child of the target's own: its decisions are not ours, nor is its death */
    pid_t pid = fork();
    if (pid == 0) {
      decide(1);
      *(volatile int *)24 = 1;
    }
    int status;
    waitpid(pid, &status, 0);
    if (!WIFSIGNALED(status))
      return 2;
    break;
  }
  case 't': {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    break;
  }
  case 's': /* signals in the middle of everything */
  case 'j': {
    signal(SIGALRM, input[0] == 's' ? handler : jumper);
    volatile int rounds = 0;
    if (setjmp(out)) {
      sigset_t set;
      sigemptyset(&set);
      sigaddset(&set, SIGALRM);
      sigprocmask(SIG_UNBLOCK, &set, NULL);
    }
    while (rounds < 300) {
      rounds++;
      ualarm(30 + rounds % 60, 0);
      for (int i = 0; i < 300; i++)
        decide(2);
    }
    signal(SIGALRM, SIG_IGN);
    ualarm(0, 0);
    break;
  }
  case 'r':
    return deep(input);
  case 'h': /* the target's own handler has the last word */
    signal(SIGSEGV, crash_here);
    *(volatile int *)32 = 1;
    break;
  case 'c': /* all descriptors closed */
    for (int fd = 0; fd < 300; fd++)
      close(fd);
    break;
  case 'o': { /* a shared object loaded late */
    void *library = dlopen(getenv("LIBRARY"), RTLD_NOW);
    void (*mark)(void) = library ? (void (*)(void))dlsym(library, "mark") : NULL;
    if (!mark)
      return 3;
    mark();
    break;
  }
  case 'w': /* somebody else reads */
    __symcrete_block.stamp = (uint64_t)getchar;
    __symcrete_block.count = 0;
    if (read(0, input, n > 1) < 0)
      return 5;
    __symcrete_untaken(site_base + 5);
    __symcrete_block.stamp = (uint64_t)getchar;
    __symcrete_untaken(site_base + 4);
    break;
  case 'u': { /* labels handed to somebody who does not take them */
    __symcrete_block.stamp = (uint64_t)puts;
    __symcrete_block.count = 2;
    __symcrete_block.arguments[0] = __symcrete_block.arguments[1] = 0;
    __symcrete_block.values[0] = 5;
    __symcrete_block.values[1] = (uint64_t)(n > 1 ? input : "clean");
    __symcrete_untaken(site_base + 6);
    if (__symcrete_block.stamp)
      return 4;
    break;
  }
  }
  decide(7);
  return 0;
}
