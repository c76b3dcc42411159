/* Stands in for the runtime when models are compared with native functions: one file is the input object,
 * and what models say about its bytes is checked against it. */
#include "../../libc/model.h"
#include "stubs.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t __symcrete_block;
static unsigned char content[1 << 16];
static uint64_t size;
static dev_t device;
static ino_t inode;
unsigned long labelled, unsettled;

void declare_input(int fd) {
  struct stat s;
  if (fstat(fd, &s) || pread(fd, content, sizeof content, 0) != s.st_size)
    abort();
  size = s.st_size;
  device = s.st_dev;
  inode = s.st_ino;
}

static void require(int holds, const char *what) {
  if (!holds) {
    fprintf(stderr, "a model said something wrong: %s\n", what);
    abort();
  }
}

void __symcrete_model_input(int fd, void *file) { (void)fd, (void)file; }
int __symcrete_model_object(int fd) {
  struct stat s;
  return !fstat(fd, &s) && size && s.st_dev == device && s.st_ino == inode ? 0 : -1;
}

uint64_t __symcrete_model_length(int object) {
  require(object == 0, "length of no object");
  return size;
}

uint64_t __symcrete_model_position(int object, int fd) {
  require(object == 0, "position in no object");
  return lseek(fd, 0, SEEK_CUR);
}

void __symcrete_model_label(const void *p, uint64_t n, int object, uint64_t offset) {
  require(object == 0 && (n == 0 || (offset + n <= size && !memcmp(p, content + offset, n))), "bytes of the input");
  labelled += n;
}

int __symcrete_model_character(int c, int object, uint64_t offset) {
  require(object == 0 && offset < size && content[offset] == c, "a character of the input");
  labelled++;
  return c;
}

uint64_t __symcrete_model_fix(uint64_t value, unsigned what) {
  (void)what;
  return value;
}

/* Never clean: the models' own code is what is tested. */
int __symcrete_model_clean(const void *p, uint64_t n) {
  (void)p, (void)n;
  return 0;
}

void __symcrete_model_wish(const void *p, const void *q, uint64_t n, int text) { (void)p, (void)q, (void)n, (void)text; }
void __symcrete_model_settle(uint64_t *cell, uint64_t real) {
  unsettled += *cell != real;
  *cell = real;
}
void __symcrete_model_inlined(void) {}
void __symcrete_model_consumed(void) {}
void __symcrete_model_written(int fd, int c, const void *p, uint64_t n) { (void)fd, (void)c, (void)p, (void)n; }
void __symcrete_model_lost(unsigned what) { (void)what; }
void __symcrete_model_errno(void) {}
void __symcrete_model_flags(void) {}
void __symcrete_model_clear(const void *p, uint64_t n) { (void)p, (void)n; }
void __symcrete_model_move(const void *to, const void *from, uint64_t n) { (void)to, (void)from, (void)n; }
