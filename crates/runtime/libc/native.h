/* The native functions that models call. One line each; c/native.c defines them, models only see them.
 * NATIVE_FUNCTION(result, name, (parameters), (arguments)) */
#ifndef NATIVE_H
#define NATIVE_H

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>

#define NATIVE_FUNCTIONS                                                                                     \
  F(int, memcmp, (const void *a, const void *b, size_t n), (a, b, n))                                        \
  F(size_t, strlen, (const char *s), (s))                                                                    \
  F(void *, malloc, (size_t n), (n))                                                                         \
  F(void *, calloc, (size_t count, size_t size), (count, size))                                              \
  F(void *, realloc, (void *p, size_t n), (p, n))                                                            \
  F(void *, reallocarray, (void *p, size_t count, size_t size), (p, count, size))                            \
  F(void *, aligned_alloc, (size_t alignment, size_t n), (alignment, n))                                     \
  F(void *, memalign, (size_t alignment, size_t n), (alignment, n))                                          \
  F(int, posix_memalign, (void **p, size_t alignment, size_t n), (p, alignment, n))                          \
  F(int, fstat, (int fd, struct stat *s), (fd, s))                                                           \
  F(int, munmap, (void *p, size_t n), (p, n))                                                                \
  F(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n))                                           \
  F(ssize_t, send, (int fd, const void *p, size_t n, int flags), (fd, p, n, flags))                          \
  F(off_t, ftello, (FILE * file), (file))                                                                    \
  F(int, fileno, (FILE * file), (file))                                                                      \
  F(int, fputs, (const char *s, FILE *file), (s, file))                                                      \
  F(int, puts, (const char *s), (s))                                                                         \
  F(int, fputc, (int c, FILE *file), (c, file))                                                              \
  F(size_t, fwrite, (const void *p, size_t size, size_t count, FILE *file), (p, size, count, file))          \
  F(int, vfprintf, (FILE * file, const char *format, va_list list), (file, format, list))                    \
  F(int, vsnprintf, (char *to, size_t room, const char *format, va_list list), (to, room, format, list))     \
  F(double, strtod, (const char *s, char **end), (s, end))                                                   \
  F(float, strtof, (const char *s, char **end), (s, end))                                                    \
  F(long double, strtold, (const char *s, char **end), (s, end))                                             \
  F(double, strtod_l, (const char *s, char **end, locale_t locale), (s, end, locale))                        \
  F(float, strtof_l, (const char *s, char **end, locale_t locale), (s, end, locale))                          \
  F(int *, __errno_location, (void), ())

/* Those that take input. */
#define NATIVE_READERS                                                                                       \
  F(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n))                                                  \
  F(ssize_t, pread, (int fd, void *p, size_t n, off_t at), (fd, p, n, at))                                   \
  F(ssize_t, recv, (int fd, void *p, size_t n, int flags), (fd, p, n, flags))                                \
  F(ssize_t, recvfrom, (int fd, void *p, size_t n, int flags, struct sockaddr *from, socklen_t *size),       \
    (fd, p, n, flags, from, size))                                                                           \
  F(off_t, lseek, (int fd, off_t at, int whence), (fd, at, whence))                                          \
  F(void *, mmap, (void *p, size_t n, int protection, int flags, int fd, off_t at),                          \
    (p, n, protection, flags, fd, at))                                                                       \
  F(int, getc, (FILE * file), (file))                                                                        \
  F(int, ungetc, (int c, FILE *file), (c, file))                                                             \
  F(size_t, fread, (void *p, size_t size, size_t count, FILE *file), (p, size, count, file))                 \
  F(int, fseeko, (FILE * file, off_t at, int whence), (file, at, whence))                                    \
  F(int, fclose, (FILE * file), (file))                                                                      \
  F(FILE *, freopen, (const char *path, const char *mode, FILE *file), (path, mode, file))

/* Those without a result. */
#define NATIVE_PROCEDURES                                                                                    \
  F(free, (void *p), (p))                                                                                    \
  F(qsort, (void *p, size_t count, size_t size, int (*order)(const void *, const void *)),                   \
    (p, count, size, order))                                                                                 \
  F(perror, (const char *s), (s))

#define F(result, name, parameters, arguments) result __symcrete_native_##name parameters;
NATIVE_FUNCTIONS
NATIVE_READERS
#undef F
#define F(name, parameters, arguments) void __symcrete_native_##name parameters;
NATIVE_PROCEDURES
#undef F

/* These take input too. */
void __symcrete_native_rewind(FILE *file);

/* How large the block at `p` is; the largest number where the program has an allocator of its own. */
size_t __symcrete_native_malloc_usable_size(void *p);

/* Of the mathematical library: a program that does not ask for them need not have it. */
int __symcrete_native_fetestexcept(int which);
int __symcrete_native_fegetexceptflag(void *flags, int which);

/* One float, with width and precision given by stars. */
int __symcrete_native_format_float(char *to, size_t room, const char *format, int width, int precision,
                                   int is_long, long double value);

#endif
