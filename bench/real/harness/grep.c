/* grep's matcher: a byte of options, a pattern up to the first NUL, and lines to match it against. What grep.c says to
   the matcher is said here: how to compare, what ends a line, and what to do with a bad pattern. Everything is compiled
   with malloc and its kin as room_malloc, …, and with exit as give_up. */
#include <config.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include "grep.h"
#include "search.h"
#include "system.h"
#include "xalloc.h"

bool match_icase, match_words, match_lines;
char eolbyte = '\n';
struct localeinfo localeinfo;

/* Bytes of one piece of memory: repetitions ask for any number. */
enum { MOST = 1 << 22 };

static jmp_buf refused;

/* The matcher leaves by these when it will not take a pattern. */
void error(int status, int code, const char *format, ...) {
  (void)code;
  (void)format;
  if (status) longjmp(refused, 1);
}

void xalloc_die(void) { longjmp(refused, 1); }

/* Compiled as the matcher's `exit`. */
void give_up(int status) {
  (void)status;
  longjmp(refused, 1);
}

/* Names for messages that nobody reads. */
char const *pattern_file_name(idx_t line, idx_t *offset) {
  *offset = line;
  return "";
}

char const *input_filename(void) { return ""; }

/* One run's memory, in a ring: a refused pattern leaves everything behind, and the next run gives it back. */
#undef malloc
#undef realloc
#undef free
void *malloc(size_t size);
void *realloc(void *piece, size_t size);
void free(void *piece);

struct piece {
  _Alignas(16) struct piece *before;
  struct piece *after;
};

static struct piece ring = {&ring, &ring};

static void *join(struct piece *piece) {
  if (!piece) return NULL;
  piece->before = &ring;
  piece->after = ring.after;
  ring.after->before = piece;
  ring.after = piece;
  return piece + 1;
}

static struct piece *leave(void *memory) {
  struct piece *piece = (struct piece *)memory - 1;
  piece->before->after = piece->after;
  piece->after->before = piece->before;
  return piece;
}

void *room_malloc(size_t size) { return size > MOST ? NULL : join(malloc(sizeof(struct piece) + size)); }

void *room_calloc(size_t count, size_t each) {
  if (each && count > MOST / each) return NULL;
  void *memory = room_malloc(count * each);
  return memory ? memset(memory, 0, count * each) : NULL;
}

void *room_realloc(void *memory, size_t size) {
  if (!memory) return room_malloc(size);
  return size > MOST ? NULL : join(realloc(leave(memory), sizeof(struct piece) + size));
}

void *room_reallocarray(void *memory, size_t count, size_t each) {
  return each && count > MOST / each ? NULL : room_realloc(memory, count * each);
}

void room_free(void *memory) {
  if (memory) free(leave(memory));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const reg_syntax_t syntaxes[] = {RE_SYNTAX_GREP, RE_SYNTAX_EGREP, RE_SYNTAX_AWK, RE_SYNTAX_POSIX_MINIMAL_BASIC};
  static bool ready;
  if (size < 2) return 0;
  if (!ready) {
    init_localeinfo(&localeinfo);
    wordinit();
    ready = true;
  }
  while (ring.after != &ring) free(leave(ring.after + 1));
  uint8_t options = *data++;
  size--;
  match_icase = options & 1;
  match_words = options >> 1 & 1;
  match_lines = options >> 2 & 1;
  const uint8_t *nul = memchr(data, 0, size);
  size_t length = nul ? (size_t)(nul - data) : size;
  size_t rest = nul ? size - length - 1 : 0;
  if (setjmp(refused)) return 0;
  /* Patterns end, and lines begin and end, with a newline that the matcher may look at. */
  char *pattern = room_malloc(length + 1);
  char *lines = room_malloc(rest + 3);
  if (!pattern || !lines) return 0;
  memcpy(pattern, data, length);
  pattern[length] = '\n';
  *lines++ = eolbyte;
  if (rest) memcpy(lines, nul + 1, rest);
  if (!rest || lines[rest - 1] != eolbyte) lines[rest++] = eolbyte;
  void *compiled = GEAcompile(pattern, (idx_t)length, syntaxes[options >> 3 & 3], false);
  idx_t found;
  ptrdiff_t at = EGexecute(compiled, lines, (idx_t)rest, &found, NULL);
  if (at >= 0) EGexecute(compiled, lines + at, found, &found, lines + at);
  return 0;
}
