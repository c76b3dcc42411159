/* The way from models to the native functions. Compiled plainly. The caller stamped the block of labels for
 * us: it is taken here, so that what the native function is handed does not count as lost. */
#define _GNU_SOURCE
#include "../libc/native.h"
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* `abi::functions::Block` begins with its stamp. */
extern uint64_t __symcrete_block __attribute__((weak));

#define F(result, name, parameters, arguments)                                                               \
  result __symcrete_native_##name parameters {                                                               \
    __symcrete_block = 0;                                                                                    \
    return name arguments;                                                                                   \
  }
NATIVE_FUNCTIONS
#undef F

/* In watch.rs: what moved until now, a model has moved. */
void __symcrete_model_consumed(void) __attribute__((weak));
#define F(result, name, parameters, arguments)                                                               \
  result __symcrete_native_##name parameters {                                                               \
    __symcrete_block = 0;                                                                                    \
    result answer = name arguments;                                                                          \
    __symcrete_model_consumed();                                                                             \
    return answer;                                                                                           \
  }
NATIVE_READERS
#undef F

void __symcrete_native_rewind(FILE *file) {
  __symcrete_block = 0;
  rewind(file);
  __symcrete_model_consumed();
}

#define F(name, parameters, arguments)                                                                       \
  void __symcrete_native_##name parameters {                                                                 \
    __symcrete_block = 0;                                                                                    \
    name arguments;                                                                                          \
  }
NATIVE_PROCEDURES

/* glibc's own name of its allocator. */
extern void *__libc_malloc(size_t) __attribute__((weak));

size_t __symcrete_native_malloc_usable_size(void *p) {
  __symcrete_block = 0;
  /* The library's function must not look at blocks that another allocator made. */
  return malloc == __libc_malloc ? malloc_usable_size(p) : SIZE_MAX;
}

int __symcrete_native_format_float(char *to, size_t room, const char *format, int width, int precision,
                                   int is_long, long double value) {
  __symcrete_block = 0;
  return is_long ? snprintf(to, room, format, width, precision, value)
                 : snprintf(to, room, format, width, precision, (double)value);
}

int fetestexcept(int which) __attribute__((weak));
int fegetexceptflag(void *flags, int which) __attribute__((weak));

int __symcrete_native_fetestexcept(int which) {
  __symcrete_block = 0;
  return fetestexcept ? fetestexcept(which) : 0;
}

int __symcrete_native_fegetexceptflag(void *flags, int which) {
  __symcrete_block = 0;
  return fegetexceptflag ? fegetexceptflag(flags, which) : 0;
}

/* C++'s allocation functions. Weak: a program without a C++ library does not call them either. */
#define WEAK __attribute__((weak))
void *_Znwm(size_t n) WEAK;
void *_Znam(size_t n) WEAK;
void _ZdlPv(void *p) WEAK;
void _ZdaPv(void *p) WEAK;
#undef F
#define F(name)                                                                                              \
  void *__symcrete_native_##name(size_t n);                                                                  \
  void *__symcrete_native_##name(size_t n) {                                                                 \
    __symcrete_block = 0;                                                                                    \
    return name(n);                                                                                          \
  }
F(_Znwm)
F(_Znam)
#undef F
#define F(name)                                                                                              \
  void __symcrete_native_##name(void *p);                                                                    \
  void __symcrete_native_##name(void *p) {                                                                   \
    __symcrete_block = 0;                                                                                    \
    name(p);                                                                                                 \
  }
F(_ZdlPv)
F(_ZdaPv)
