/* Models: stdio input by lines and blocks, and positions in files. */
#include "stream.h"
#include "model_errno.h"
#include <stdlib.h>

char *MODEL(fgets)(char *to, int n, FILE *file);
char *MODEL(gets)(char *to);
ssize_t MODEL(getdelim)(char **line, size_t *size, int stop, FILE *file);
ssize_t MODEL(__getdelim)(char **line, size_t *size, int stop, FILE *file);
ssize_t MODEL(getline)(char **line, size_t *size, FILE *file);
size_t MODEL(fread)(void *p, size_t size, size_t count, FILE *file);
size_t MODEL(fread_unlocked)(void *p, size_t size, size_t count, FILE *file);
int MODEL(fseek)(FILE *file, long at, int whence);
int MODEL(fseeko)(FILE *file, off_t at, int whence);
long MODEL(ftell)(FILE *file);
off_t MODEL(ftello)(FILE *file);
void MODEL(rewind)(FILE *file);

void *MODEL(realloc)(void *p, size_t n);

char *MODEL(fgets)(char *to, int n, FILE *file) {
  if (n <= 0)
    return NULL;
  READING(file);
  int i = 0;
  while (i < n - 1) {
    int c = symcrete_stream_get(file);
    if (c == EOF) {
      if (i == 0 || ferror(file))
        return NULL;
      break;
    }
    to[i++] = c;
    if (c == '\n')
      break;
  }
  to[i] = 0;
  return to;
}

char *MODEL(gets)(char *to) {
  char *p = to;
  READING(stdin);
  for (;;) {
    int c = symcrete_stream_get(stdin);
    if (c == EOF && p == to)
      return NULL;
    if (c == EOF || c == '\n')
      break;
    *p++ = c;
  }
  *p = 0;
  return to;
}

ssize_t MODEL(getdelim)(char **line, size_t *size, int stop, FILE *file) {
  if (!line || !size) {
    errno = EINVAL;
    return -1;
  }
  if (!*line || !*size) {
    char *fresh = MODEL(realloc)(*line, 120);
    if (!fresh)
      return -1;
    *line = fresh;
    *size = 120;
  }
  size_t used = 0;
  READING(file);
  for (;;) {
    int c = symcrete_stream_get(file);
    if (c == EOF) {
      if (used == 0 || ferror(file))
        return -1;
      break;
    }
    if (used + 2 > *size) {
      char *larger = MODEL(realloc)(*line, *size * 2);
      if (!larger)
        return -1;
      *line = larger;
      *size *= 2;
    }
    (*line)[used++] = c;
    if (c == stop)
      break;
  }
  (*line)[used] = 0;
  return used;
}

ssize_t MODEL(__getdelim)(char **line, size_t *size, int stop, FILE *file) {
  return MODEL(getdelim)(line, size, stop, file);
}

ssize_t MODEL(getline)(char **line, size_t *size, FILE *file) { return MODEL(getdelim)(line, size, '\n', file); }

size_t MODEL(fread)(void *p, size_t size, size_t count, FILE *file) {
  size_t wanted = size * count;
  if (wanted == 0)
    return 0;
  READING(file);
  struct stream *s = symcrete_stream_of(file);
  if (!s) {
    size_t got = NATIVE(fread)(p, size, count, file);
    __symcrete_model_clear(p, got * size);
    return got;
  }
  unsigned char *to = p;
  if (s->has_pushed) {
    int c = symcrete_stream_get(file);
    if (c == EOF)
      return 0;
    *to++ = c;
    wanted--;
  }
  symcrete_stream_locate(s);
  uint64_t at = s->at, length = __symcrete_model_length(s->object);
  size_t real = NATIVE(fread)(to, 1, __symcrete_model_fix(wanted, LOST_LENGTH), file);
  __symcrete_model_label(to, real, s->object, at);
  s->end = NULL;
  /* All of it, or what was left. */
  uint64_t got = wanted;
  if (length < at) {
    DECIDED;
    got = 0;
  } else if (length - at < wanted) {
    DECIDED;
    got = length - at;
  }
  __symcrete_model_settle(&got, real);
  s->at = at + got;
  return (got + (size_t)(to - (unsigned char *)p)) / size;
}

size_t MODEL(fread_unlocked)(void *p, size_t size, size_t count, FILE *file) {
  return MODEL(fread)(p, size, count, file);
}

int MODEL(fseeko)(FILE *file, off_t at, int whence) {
  struct stream *s = symcrete_stream_of(file);
  /* What is read next depends on it. */
  at = __symcrete_model_fix(at, LOST_ADDRESS);
  int failed = NATIVE(fseeko)(file, at, whence);
  if (s && !failed) {
    uint64_t position = at;
    if (whence == SEEK_END)
      position = __symcrete_model_length(s->object) + at;
    else if (whence == SEEK_CUR)
      position = s->at + at;
    s->has_pushed = 0;
    s->end = NULL;
    s->at = position;
    symcrete_stream_locate(s);
  }
  return failed;
}

int MODEL(fseek)(FILE *file, long at, int whence) { return MODEL(fseeko)(file, at, whence); }

off_t MODEL(ftello)(FILE *file) {
  struct stream *s = symcrete_stream_of(file);
  off_t result = NATIVE(ftello)(file);
  if (!s || result < 0 || s->has_pushed)
    return result;
  symcrete_stream_locate(s);
  uint64_t at = s->at;
  __symcrete_model_settle(&at, result);
  return at;
}

long MODEL(ftell)(FILE *file) { return MODEL(ftello)(file); }

void MODEL(rewind)(FILE *file) {
  struct stream *s = symcrete_stream_of(file);
  NATIVE(rewind)(file);
  if (s) {
    s->has_pushed = 0;
    s->end = NULL;
    s->at = 0;
  }
}
