/* Models: output. What is printed influences nothing the program decides by, except where it asks how much
 * was printed; that number is taken as it is. What goes elsewhere may be read back, which is not followed. */
#include "model.h"
#include "native.h"
#include <unistd.h>

int MODEL(puts)(const char *s);
int MODEL(fputs)(const char *s, FILE *file);
int MODEL(fputs_unlocked)(const char *s, FILE *file);
int MODEL(putchar)(int c);
int MODEL(putc)(int c, FILE *file);
int MODEL(fputc)(int c, FILE *file);
int MODEL(_IO_putc)(int c, FILE *file);
int MODEL(putchar_unlocked)(int c);
int MODEL(putc_unlocked)(int c, FILE *file);
size_t MODEL(fwrite)(const void *p, size_t size, size_t count, FILE *file);
size_t MODEL(fwrite_unlocked)(const void *p, size_t size, size_t count, FILE *file);
ssize_t MODEL(write)(int fd, const void *p, size_t n);
ssize_t MODEL(send)(int fd, const void *p, size_t n, int flags);
int MODEL(printf)(const char *format, ...) __attribute__((format(printf, 1, 2)));
int MODEL(fprintf)(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
int MODEL(vprintf)(const char *format, va_list list) __attribute__((format(printf, 1, 0)));
int MODEL(vfprintf)(FILE *file, const char *format, va_list list) __attribute__((format(printf, 2, 0)));
void MODEL(perror)(const char *s);

/* glibc's flag: the stream is one on a descriptor, not on memory. */
enum { ON_DESCRIPTOR = 0x2000 };

static void written(FILE *file, int c, const void *p, size_t n) {
  if (file != stdout && file != stderr)
    __symcrete_model_written(file->_flags & ON_DESCRIPTOR ? file->_fileno : -1, c, p, n);
}

int MODEL(puts)(const char *s) { return NATIVE(puts)(s); }
int MODEL(fputs)(const char *s, FILE *file) {
  if (file != stdout && file != stderr)
    written(file, 0, s, NATIVE(strlen)(s));
  return NATIVE(fputs)(s, file);
}
int MODEL(fputs_unlocked)(const char *s, FILE *file) { return MODEL(fputs)(s, file); }

/* The character comes back, with its label, unless writing failed. */
int MODEL(fputc)(int c, FILE *file) {
  written(file, c, NULL, 0);
  return NATIVE(fputc)(c, file) == EOF ? EOF : (int)(unsigned char)c;
}
int MODEL(putc)(int c, FILE *file) { return MODEL(fputc)(c, file); }
int MODEL(_IO_putc)(int c, FILE *file) { return MODEL(fputc)(c, file); }
int MODEL(putchar)(int c) { return MODEL(fputc)(c, stdout); }
int MODEL(putchar_unlocked)(int c) { return MODEL(fputc)(c, stdout); }
int MODEL(putc_unlocked)(int c, FILE *file) { return MODEL(fputc)(c, file); }

size_t MODEL(fwrite)(const void *p, size_t size, size_t count, FILE *file) {
  written(file, 0, p, size * count);
  size_t done = NATIVE(fwrite)(p, size, count, file);
  return done == count ? count : done;
}
size_t MODEL(fwrite_unlocked)(const void *p, size_t size, size_t count, FILE *file) {
  return MODEL(fwrite)(p, size, count, file);
}
ssize_t MODEL(write)(int fd, const void *p, size_t n) {
  if (fd != STDOUT_FILENO && fd != STDERR_FILENO)
    __symcrete_model_written(fd, 0, p, n);
  return NATIVE(write)(fd, p, n);
}
ssize_t MODEL(send)(int fd, const void *p, size_t n, int flags) {
  __symcrete_model_written(fd, 0, p, n);
  return NATIVE(send)(fd, p, n, flags);
}

int MODEL(vfprintf)(FILE *file, const char *format, va_list list) {
  written(file, 0, NULL, MODEL_ANYTHING);
  return NATIVE(vfprintf)(file, format, list);
}
int MODEL(vprintf)(const char *format, va_list list) { return NATIVE(vfprintf)(stdout, format, list); }
int MODEL(fprintf)(FILE *file, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int count = MODEL(vfprintf)(file, format, list);
  va_end(list);
  return count;
}
int MODEL(printf)(const char *format, ...) {
  va_list list;
  va_start(list, format);
  int count = NATIVE(vfprintf)(stdout, format, list);
  va_end(list);
  return count;
}
void MODEL(perror)(const char *s) { NATIVE(perror)(s); }
