/* Tells whoever replays a test how the program died. Lines on the descriptor in SYMCRETE_REPORT:
 *   signal NUMBER CODE ADDRESS SP      (hexadecimal but for the first two)
 *   frame PC OFFSET FILE               innermost first; OFFSET is the address within FILE as it was linked
 *   target NUMBER                      a place that was reached
 * Then the signal does what it does. Sanitizers have reports of their own and are left alone. */
#define _GNU_SOURCE
#include "replay.h"
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

static int report = -1;
static char stack[1 << 16];

/* Nothing here may allocate or lock: the program may have died anywhere. */
struct line {
  char text[400];
  size_t used;
};

static void add(struct line *l, const char *s) {
  while (*s && l->used + 1 < sizeof l->text)
    l->text[l->used++] = *s++;
}

static void number(struct line *l, uint64_t n, unsigned base) {
  char digits[24];
  int at = sizeof digits;
  digits[--at] = 0;
  do
    digits[--at] = "0123456789abcdef"[n % base];
  while (n /= base);
  add(l, " ");
  add(l, digits + at);
}

static void send(struct line *l) {
  l->text[l->used++] = '\n';
  if (write(report, l->text, l->used) < 0)
    report = -1;
}

struct place {
  uint64_t pc, offset;
  const char *file;
};

static int find(struct dl_phdr_info *info, size_t size, void *data) {
  struct place *place = data;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *h = &info->dlpi_phdr[i];
    uint64_t begin = info->dlpi_addr + h->p_vaddr;
    if (h->p_type == PT_LOAD && place->pc >= begin && place->pc < begin + h->p_memsz) {
      place->offset = place->pc - info->dlpi_addr;
      place->file = info->dlpi_name[0] ? info->dlpi_name : "-";
      return 1;
    }
  }
  return 0;
}

struct walk {
  uint64_t pc;
  int started, frames;
};

static void frame(uint64_t pc) {
  struct place place = {pc, pc, "?"};
  struct line l = {.used = 0};
  dl_iterate_phdr(find, &place);
  add(&l, "frame");
  number(&l, pc, 16);
  number(&l, place.offset, 16);
  add(&l, " ");
  add(&l, place.file);
  send(&l);
}

/* The handler's own frames come first; the walk is interesting from the faulting instruction on. */
static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *data) {
  struct walk *walk = data;
  int before = 0;
  uint64_t pc = _Unwind_GetIPInfo(context, &before);
  if (pc == walk->pc)
    walk->started = 1;
  if (!walk->started)
    return _URC_NO_REASON;
  /* A return address belongs to the call before it. */
  frame(before || pc == walk->pc ? pc : pc - 1);
  return ++walk->frames < 64 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void died(int signal, siginfo_t *info, void *data) {
  const ucontext_t *context = data;
  struct line l = {.used = 0};
  add(&l, "signal");
  number(&l, signal, 10);
  /* Codes below zero are those of signals that were sent. */
  number(&l, info->si_code > 0 ? (uint64_t)info->si_code : 0, 10);
  number(&l, (uint64_t)info->si_addr, 16);
  number(&l, context->uc_mcontext.gregs[REG_RSP], 16);
  send(&l);
  struct walk walk = {context->uc_mcontext.gregs[REG_RIP], 0, 0};
  /* A wild jump has no frame of its own to start from: its place at least is known. */
  _Unwind_Backtrace(step, &walk);
  if (!walk.started)
    frame(walk.pc);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, NULL);
  if (info->si_code <= 0)
    raise(signal);
}

extern void __asan_init(void) __attribute__((weak));
extern void __msan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));

void symcrete_replay_report(void) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
  const char *text = getenv("SYMCRETE_REPORT");
  if (!text)
    return;
  report = atoi(text);
  unsetenv("SYMCRETE_REPORT");
  if (__asan_init || __msan_init || __tsan_init)
    return;
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternate, NULL);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = died;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaction(signals[i], &action, NULL);
}

void symcrete_replay_target(unsigned reached) {
  if (report < 0)
    return;
  struct line l = {.used = 0};
  add(&l, "target");
  number(&l, reached, 10);
  send(&l);
}
