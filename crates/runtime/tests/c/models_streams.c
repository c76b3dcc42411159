/* Compares models of input functions with the native ones: the same random calls on two views of the same
 * random file. The stubs check that what models call input bytes really are those. */
#define _GNU_SOURCE
#include "stubs.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define M(name) __symcrete_libc_##name

int M(getc)(FILE *);
int M(fgetc)(FILE *);
int M(ungetc)(int, FILE *);
char *M(fgets)(char *, int, FILE *);
size_t M(fread)(void *, size_t, size_t, FILE *);
ssize_t M(getline)(char **, size_t *, FILE *);
ssize_t M(getdelim)(char **, size_t *, int, FILE *);
int M(fseek)(FILE *, long, int);
long M(ftell)(FILE *);
void M(rewind)(FILE *);
int M(fclose)(FILE *);
int M(fscanf)(FILE *, const char *, ...);
int M(sscanf)(const char *, const char *, ...);
ssize_t M(read)(int, void *, size_t);
ssize_t M(pread)(int, void *, size_t, off_t);
off_t M(lseek)(int, off_t, int);
int M(fstat)(int, struct stat *);
void *M(mmap)(void *, size_t, int, int, int, off_t);
int M(munmap)(void *, size_t);

static uint64_t state = 0x2545f4914f6cdd1du;
static unsigned draw(unsigned n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)(state >> 33) % n;
}

static void same(const char *what, long expected, long got) {
  if (expected != got) {
    printf("%s: expected %ld, got %ld\n", what, expected, got);
    exit(1);
  }
}

static void same_bytes(const char *what, const void *a, const void *b, size_t n) {
  if (memcmp(a, b, n)) {
    printf("%s: bytes differ\n", what);
    exit(1);
  }
}

static int file_of(unsigned n) {
  static const char letters[] = "abc 12-\n\n09xX.+e\t,f";
  static char bytes[20000];
  int fd = memfd_create("input", 0);
  for (unsigned i = 0; i < n; i++)
    bytes[i] = draw(30) ? letters[draw(sizeof letters - 1)] : (char)draw(256);
  if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
    abort();
  return fd;
}

static FILE *reopened(int fd) {
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  FILE *file = fopen(path, "r");
  if (!file)
    abort();
  if (draw(3) == 0)
    setvbuf(file, NULL, _IOFBF, 16 + draw(100));
  return file;
}

struct values {
  int i;
  unsigned u;
  long l;
  unsigned char h;
  short s;
  char text[80], set[80], c[8];
  float f;
  double d;
  int n;
};

static void clear(struct values *v) {
  memset(v, 0x55, sizeof *v);
  v->n = -1;
}

/* One call of a scanf, native or ours. */
static int scan(int which, int (*file_scan)(FILE *, const char *, ...), int (*text_scan)(const char *, const char *, ...),
                FILE *file, const char *text, struct values *v) {
#define S(...) (file ? file_scan(file, __VA_ARGS__) : text_scan(text, __VA_ARGS__))
  switch (which) {
  case 0: return S("%d", &v->i);
  case 1: return S("%u%n", &v->u, &v->n);
  case 2: return S("%ld,%hd", &v->l, &v->s);
  case 3: return S("%x %o", &v->u, &v->i);
  case 4: return S("%i%c", &v->i, v->c);
  case 5: return S("%s %10s", v->text, v->set);
  case 6: return S("%3c%2d", v->c, &v->i);
  case 7: return S("%[a-c1] %[^ \n]", v->set, v->text);
  case 8: return S("a%db", &v->i);
  case 9: return S("%*d %hhu", &v->h);
  case 10: return S(" %d%%%n", &v->i, &v->n);
  case 11: return S("%5i%n", &v->i, &v->n);
  case 12: return S("%20lu", (unsigned long *)&v->l);
  default: return S("%2x-%1d", &v->u, &v->i);
  }
}

static void streams(void) {
  int fd = file_of(draw(3) ? draw(200) : 1 + draw(9000));
  declare_input(fd);
  FILE *one = reopened(fd), *two = reopened(fd);
  char *line_one = NULL, *line_two = NULL;
  size_t size_one = 0, size_two = 0;
  int last = EOF;
  for (unsigned step = 0; step < 60; step++) {
    static char a[6000], b[6000];
    memset(a, 1, 300), memset(b, 1, 300);
    switch (draw(9)) {
    case 0:
    case 1: {
      last = getc(one);
      same("getc", last, draw(2) ? M(getc)(two) : M(fgetc)(two));
      break;
    }
    case 2: {
      /* The character just read, or any other. */
      int c = draw(2) && last != EOF ? last : (int)draw(256);
      if (last != EOF)
        same("ungetc", ungetc(c, one), M(ungetc)(c, two));
      last = EOF;
      break;
    }
    case 3: {
      int n = 1 + draw(60);
      char *p = fgets(a, n, one), *q = M(fgets)(b, n, two);
      same("fgets", !p, !q);
      if (p)
        same_bytes("fgets", a, b, 61);
      last = EOF;
      break;
    }
    case 4: {
      size_t size = 1 + draw(4), count = draw(4) ? draw(20) : draw(1400);
      same("fread", fread(a, size, count, one), M(fread)(b, size, count, two));
      same_bytes("fread", a, b, size * count);
      last = EOF;
      break;
    }
    case 5: {
      ssize_t n = getline(&line_one, &size_one, one);
      same("getline", n, M(getline)(&line_two, &size_two, two));
      if (n >= 0)
        same_bytes("getline", line_one, line_two, n + 1);
      last = EOF;
      break;
    }
    case 6: {
      int whence = draw(3);
      long at = whence == SEEK_SET ? (long)draw(300) : (long)draw(40) - 20;
      same("fseek", fseek(one, at, whence), M(fseek)(two, at, whence));
      same("ftell", ftell(one), M(ftell)(two));
      last = EOF;
      break;
    }
    case 7: {
      if (draw(10) == 0) {
        rewind(one), M(rewind)(two);
      } else {
        ssize_t n = getdelim(&line_one, &size_one, 'a', one);
        same("getdelim", n, M(getdelim)(&line_two, &size_two, 'a', two));
        if (n >= 0)
          same_bytes("getdelim", line_one, line_two, n + 1);
      }
      last = EOF;
      break;
    }
    case 8: {
      struct values v, w;
      int which = draw(14);
      clear(&v), clear(&w);
      errno = 0;
      char what[20];
      snprintf(what, sizeof what, "fscanf %d", which);
      same(what, scan(which, fscanf, sscanf, one, NULL, &v), scan(which, M(fscanf), M(sscanf), two, NULL, &w));
      same_bytes(what, &v, &w, sizeof v);
      last = EOF;
      break;
    }
    }
    same("ftell", ftell(one), M(ftell)(two));
    same("feof", feof(one), feof(two));
  }
  fclose(one), M(fclose)(two);
  free(line_one), free(line_two);
  close(fd);
}

static void texts(void) {
  static const char letters[] = "abc 12-09xX%+\t,9";
  char text[60];
  unsigned n = draw(50);
  for (unsigned i = 0; i < n; i++)
    text[i] = letters[draw(sizeof letters - 1)];
  text[n] = 0;
  struct values v, w;
  int which = draw(14);
  clear(&v), clear(&w);
  int expected = scan(which, fscanf, sscanf, NULL, text, &v), got = scan(which, M(fscanf), M(sscanf), NULL, text, &w);
  if (expected != got || memcmp(&v, &w, sizeof v)) {
    printf("sscanf %d of \"%s\": expected %d, got %d; %d %d\n", which, text, expected, got, v.i, w.i);
    exit(1);
  }
}

static void descriptors(void) {
  int fd = file_of(draw(300));
  declare_input(fd);
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  int one = open(path, 0), two = open(path, 0);
  for (unsigned step = 0; step < 30; step++) {
    char a[200] = {0}, b[200] = {0};
    size_t n = draw(100);
    switch (draw(4)) {
    case 0:
      same("read", read(one, a, n), M(read)(two, b, n));
      break;
    case 1: {
      off_t at = (off_t)draw(320) - 2;
      same("pread", pread(one, a, n, at), M(pread)(two, b, n, at));
      break;
    }
    case 2: {
      int whence = draw(3);
      off_t at = whence == SEEK_SET ? draw(400) : (off_t)draw(40) - 20;
      same("lseek", lseek(one, at, whence), M(lseek)(two, at, whence));
      break;
    }
    default: {
      struct stat s, t;
      fstat(one, &s), M(fstat)(two, &t);
      same("fstat", s.st_size, t.st_size);
    }
    }
    same_bytes("read", a, b, sizeof a);
  }
  void *p = M(mmap)(NULL, 4096, PROT_READ, MAP_PRIVATE, two, 0);
  if (p != MAP_FAILED)
    same("munmap", 0, M(munmap)(p, 4096));
  close(one), close(two), close(fd);
}

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 3000;
  for (long i = 0; i < rounds; i++) {
    streams();
    descriptors();
    for (int j = 0; j < 30; j++)
      texts();
  }
  printf("agreed, %s\n", labelled ? "with labels" : "without labels");
  return 0;
}
