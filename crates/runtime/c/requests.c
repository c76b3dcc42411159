/* The functions by which a program asks for input: ours, KLEE's, and those of the software verification
 * competition. All are weak: a program that defines one of them keeps its own.
 *
 * Linked with the runtime the bytes come from the engine, with libsymcrete_replay.a from a recorded test. */
#include "../include/symcrete.h"
#include <stdlib.h>

enum kind { BYTES, SIGNED, UNSIGNED, FLOAT, BOOL, CHOICE };

void __symcrete_request(void *p, uint64_t n, unsigned kind, const char *name, uint64_t key, unsigned result_width);
void __symcrete_assume(uint64_t condition, uint64_t key);
void __symcrete_assume_range(int number, int begin, int end, uint64_t key);
void __symcrete_target(unsigned number, uint64_t key);

#define WEAK __attribute__((weak))

/* One scalar. `key` is the function itself: the caller finds the label of its result by it. */
#define VALUE(type, kind, name, function)                                                                    \
  type value;                                                                                                \
  __symcrete_request(&value, sizeof value, kind, name, (uint64_t)function, 8 * sizeof value);                \
  return value

#define NAMED(type, kind, function)                                                                          \
  WEAK type function(const char *name) { VALUE(type, kind, name, function); }

NAMED(signed char, SIGNED, symcrete_char)
NAMED(unsigned char, UNSIGNED, symcrete_uchar)
NAMED(short, SIGNED, symcrete_short)
NAMED(unsigned short, UNSIGNED, symcrete_ushort)
NAMED(int, SIGNED, symcrete_int)
NAMED(unsigned, UNSIGNED, symcrete_uint)
NAMED(long, SIGNED, symcrete_long)
NAMED(unsigned long, UNSIGNED, symcrete_ulong)
NAMED(long long, SIGNED, symcrete_longlong)
NAMED(unsigned long long, UNSIGNED, symcrete_ulonglong)
NAMED(float, FLOAT, symcrete_float)
NAMED(double, FLOAT, symcrete_double)
int klee_int(const char *name);
NAMED(int, SIGNED, klee_int)

/* A bit of one byte, or a byte, as a wider integer: the runtime extends it. */
#define NARROW(bits) ((unsigned)sizeof(int) * 8 | (bits) << 8)

WEAK int symcrete_bool(const char *name) {
  unsigned char byte;
  __symcrete_request(&byte, 1, BOOL, name, (uint64_t)symcrete_bool, NARROW(1));
  return byte & 1;
}

WEAK unsigned symcrete_choice(unsigned count, const char *name) {
  unsigned char byte;
  __symcrete_request(&byte, 1, CHOICE | count << 8, name, (uint64_t)symcrete_choice, NARROW(8));
  return byte;
}

WEAK void symcrete_bytes(void *p, size_t n, const char *name) {
  __symcrete_request(p, n, BYTES, name, (uint64_t)symcrete_bytes, 0);
}

WEAK void symcrete_assume(int condition) { __symcrete_assume((unsigned)condition, (uint64_t)symcrete_assume); }

WEAK void symcrete_target(int number) { __symcrete_target((unsigned)number, (uint64_t)symcrete_target); }

/* KLEE's. */
void klee_make_symbolic(void *p, size_t n, const char *name);
void klee_assume(uintptr_t condition);
void klee_silent_exit(int status);
int klee_range(int begin, int end, const char *name);

WEAK void klee_make_symbolic(void *p, size_t n, const char *name) {
  __symcrete_request(p, n, BYTES, name, (uint64_t)klee_make_symbolic, 0);
}

WEAK void klee_assume(uintptr_t condition) { __symcrete_assume(condition, (uint64_t)klee_assume); }

WEAK void klee_silent_exit(int status) { _Exit(status); }

WEAK int klee_range(int begin, int end, const char *name) {
  int value;
  __symcrete_request(&value, sizeof value, SIGNED, name, (uint64_t)klee_range, 8 * sizeof value);
  __symcrete_assume_range(value, begin, end, (uint64_t)klee_range);
  return value;
}

/* The competition's. */
#define NONDET(type, kind, suffix)                                                                           \
  type __VERIFIER_nondet_##suffix(void);                                                                     \
  WEAK type __VERIFIER_nondet_##suffix(void) { VALUE(type, kind, #suffix, __VERIFIER_nondet_##suffix); }

NONDET(char, SIGNED, char)
NONDET(signed char, SIGNED, schar)
NONDET(unsigned char, UNSIGNED, uchar)
NONDET(short, SIGNED, short)
NONDET(unsigned short, UNSIGNED, ushort)
NONDET(int, SIGNED, int)
NONDET(unsigned, UNSIGNED, uint)
NONDET(unsigned, UNSIGNED, unsigned)
NONDET(long, SIGNED, long)
NONDET(unsigned long, UNSIGNED, ulong)
NONDET(long long, SIGNED, longlong)
NONDET(unsigned long long, UNSIGNED, ulonglong)
NONDET(__int128, SIGNED, int128)
NONDET(unsigned __int128, UNSIGNED, uint128)
NONDET(float, FLOAT, float)
NONDET(double, FLOAT, double)
NONDET(size_t, UNSIGNED, size_t)
NONDET(long, SIGNED, loff_t)
NONDET(unsigned long, UNSIGNED, sector_t)
NONDET(int8_t, SIGNED, S8)
NONDET(uint8_t, UNSIGNED, U8)
NONDET(uint8_t, UNSIGNED, u8)
NONDET(uint16_t, UNSIGNED, u16)
NONDET(uint32_t, UNSIGNED, u32)
NONDET(uint32_t, UNSIGNED, U32)

_Bool __VERIFIER_nondet_bool(void);
WEAK _Bool __VERIFIER_nondet_bool(void) {
  unsigned char byte;
  __symcrete_request(&byte, 1, BOOL, "bool", (uint64_t)__VERIFIER_nondet_bool, 1);
  return byte & 1;
}

void __VERIFIER_nondet_memory(void *p, size_t n);
WEAK void __VERIFIER_nondet_memory(void *p, size_t n) {
  __symcrete_request(p, n, BYTES, "memory", (uint64_t)__VERIFIER_nondet_memory, 0);
}

void __VERIFIER_assume(int condition);
WEAK void __VERIFIER_assume(int condition) { __symcrete_assume((unsigned)condition, (uint64_t)__VERIFIER_assume); }

void __VERIFIER_error(void);
WEAK void __VERIFIER_error(void) { abort(); }
