
/* What the program calls for its input: the values of the test, one after the other. */

#ifdef __GNUC__
#define UNLESS_DEFINED __attribute__((weak)) /* a program that has its own keeps it */
#else
#define UNLESS_DEFINED
#endif

static void answer(void *place, size_t size) {
  static size_t next;
  memset(place, 0, size);
  while (next < given_count && given[next].kind != ANSWER)
    next++;
  if (next >= given_count)
    _exit(0); /* the recorded run was ended while it was asking for more */
  memcpy(place, given[next].bytes, size < given[next].size ? size : given[next].size);
  next++;
}

static void assume(int holds) {
  if (!holds)
    _exit(0); /* a run that does not meet an assumption ends well */
}

#define NAMED(type, function)                                                                                \
  type function(const char *name);                                                                           \
  UNLESS_DEFINED type function(const char *name) {                                                           \
    type value;                                                                                              \
    (void)name;                                                                                              \
    answer(&value, sizeof value);                                                                            \
    return value;                                                                                            \
  }
#define UNNAMED(type, suffix)                                                                                \
  type __VERIFIER_nondet_##suffix(void);                                                                     \
  UNLESS_DEFINED type __VERIFIER_nondet_##suffix(void) {                                                     \
    type value;                                                                                              \
    answer(&value, sizeof value);                                                                            \
    return value;                                                                                            \
  }

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
NAMED(int, klee_int)
UNNAMED(char, char)
UNNAMED(signed char, schar)
UNNAMED(unsigned char, uchar)
UNNAMED(short, short)
UNNAMED(unsigned short, ushort)
UNNAMED(int, int)
UNNAMED(unsigned, uint)
UNNAMED(unsigned, unsigned)
UNNAMED(long, long)
UNNAMED(unsigned long, ulong)
UNNAMED(long long, longlong)
UNNAMED(unsigned long long, ulonglong)
#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;
UNNAMED(wide, int128)
UNNAMED(unsigned_wide, uint128)
#endif
UNNAMED(float, float)
UNNAMED(double, double)
UNNAMED(size_t, size_t)
UNNAMED(long, loff_t)
UNNAMED(unsigned long, sector_t)
UNNAMED(int8_t, S8)
UNNAMED(uint8_t, U8)
UNNAMED(uint8_t, u8)
UNNAMED(uint16_t, u16)
UNNAMED(uint32_t, u32)
UNNAMED(uint32_t, U32)

int symcrete_bool(const char *name);
UNLESS_DEFINED int symcrete_bool(const char *name) {
  unsigned char byte;
  (void)name;
  answer(&byte, 1);
  return byte & 1;
}

_Bool __VERIFIER_nondet_bool(void);
UNLESS_DEFINED _Bool __VERIFIER_nondet_bool(void) { return symcrete_bool("bool") != 0; }

unsigned symcrete_choice(unsigned count, const char *name);
UNLESS_DEFINED unsigned symcrete_choice(unsigned count, const char *name) {
  unsigned char byte;
  (void)count, (void)name;
  answer(&byte, 1);
  return byte;
}

void symcrete_bytes(void *p, size_t n, const char *name);
UNLESS_DEFINED void symcrete_bytes(void *p, size_t n, const char *name) {
  (void)name;
  answer(p, n);
}

void klee_make_symbolic(void *p, size_t n, const char *name);
UNLESS_DEFINED void klee_make_symbolic(void *p, size_t n, const char *name) {
  (void)name;
  answer(p, n);
}

void __VERIFIER_nondet_memory(void *p, size_t n);
UNLESS_DEFINED void __VERIFIER_nondet_memory(void *p, size_t n) { answer(p, n); }

int klee_range(int begin, int end, const char *name);
UNLESS_DEFINED int klee_range(int begin, int end, const char *name) {
  int value;
  (void)name;
  answer(&value, sizeof value);
  assume(begin <= value && value < end);
  return value;
}

void symcrete_assume(int condition);
UNLESS_DEFINED void symcrete_assume(int condition) { assume(condition); }
void klee_assume(uintptr_t condition);
UNLESS_DEFINED void klee_assume(uintptr_t condition) { assume(condition != 0); }
void __VERIFIER_assume(int condition);
UNLESS_DEFINED void __VERIFIER_assume(int condition) { assume(condition); }
void symcrete_target(int number);
UNLESS_DEFINED void symcrete_target(int number) { (void)number; }
void klee_silent_exit(int status);
UNLESS_DEFINED void klee_silent_exit(int status) { _Exit(status); }
void __VERIFIER_error(void);
UNLESS_DEFINED void __VERIFIER_error(void) { abort(); }
