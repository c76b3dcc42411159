/* Models: stdio input, one character at a time, and the table of streams on input objects. The end of the
 * input is a decision on the object's length before every character. */
#include "stream.h"

int MODEL(getc)(FILE *file);
int MODEL(fgetc)(FILE *file);
int MODEL(getchar)(void);
int MODEL(_IO_getc)(FILE *file);
int MODEL(getc_unlocked)(FILE *file);
int MODEL(fgetc_unlocked)(FILE *file);
int MODEL(getchar_unlocked)(void);
int MODEL(__uflow)(FILE *file);
int MODEL(ungetc)(int c, FILE *file);
int MODEL(fclose)(FILE *file);
FILE *MODEL(freopen)(const char *path, const char *mode, FILE *file);

/* glibc's flag: reading from the area of characters that were put back. */
enum { IN_BACKUP = 0x100 };

enum { STREAMS = 16 };
static struct stream streams[STREAMS];
static unsigned next_free;

void symcrete_stream_forget(FILE *file) {
  for (unsigned i = 0; i < STREAMS; i++)
    if (streams[i].file == file)
      streams[i].file = NULL;
}

struct stream *symcrete_stream_of(FILE *file) {
  for (unsigned i = 0; i < STREAMS; i++)
    if (streams[i].file == file && streams[i].fd == file->_fileno)
      return streams[i].object < 0 ? NULL : &streams[i];
  symcrete_stream_forget(file);
  struct stream *s = &streams[next_free++ % STREAMS];
  s->file = file;
  s->fd = file->_fileno;
  s->object = __symcrete_model_object(s->fd);
  if (s->object < -1) {
    /* Nothing is followed; from a snapshot on it may be. */
    s->file = NULL;
    return NULL;
  }
  s->end = NULL;
  s->at = 0;
  s->has_pushed = 0;
  return s->object < 0 ? NULL : s;
}

void symcrete_stream_locate(struct stream *s) {
  FILE *file = s->file;
  if (file->_flags & IN_BACKUP)
    return;
  if (!file->_IO_read_end || s->end != file->_IO_read_end) {
    s->end = file->_IO_read_end;
    s->end_offset = __symcrete_model_position(s->object, s->fd);
  }
  __symcrete_model_settle(&s->at, s->end_offset - (uint64_t)(file->_IO_read_end - file->_IO_read_ptr));
}

int symcrete_stream_get(FILE *file) {
  struct stream *s = symcrete_stream_of(file);
  if (!s)
    return NATIVE(getc)(file);
  if (file->_flags & IN_BACKUP) {
    int c = NATIVE(getc)(file);
    int ours = s->has_pushed && c != EOF;
    s->has_pushed = 0;
    s->end = NULL;
    return ours ? s->pushed : c;
  }
  symcrete_stream_locate(s);
  uint64_t at = s->at;
  /* A full buffer has the byte; otherwise the native function has to refill it, which moves the end. */
  if (file->_IO_read_ptr >= file->_IO_read_end)
    s->end = NULL;
  int more = at < __symcrete_model_length(s->object);
  int c = NATIVE(getc)(file);
  if (!more) {
    DECIDED;
    return c;
  }
  if (c == EOF)
    return c;
  s->at = at + 1;
  return __symcrete_model_character(c, s->object, at);
}

int symcrete_stream_unget(int c, FILE *file) {
  struct stream *s = symcrete_stream_of(file);
  int result = NATIVE(ungetc)(c, file);
  if (s && result != EOF && (file->_flags & IN_BACKUP)) {
    s->pushed = (unsigned char)c;
    s->has_pushed = 1;
  }
  return result == EOF ? EOF : (int)(unsigned char)c;
}

static int get(FILE *file) {
  READING(file);
  return symcrete_stream_get(file);
}

int MODEL(getc)(FILE *file) { return get(file); }
int MODEL(fgetc)(FILE *file) { return get(file); }
int MODEL(getchar)(void) { return get(stdin); }
int MODEL(_IO_getc)(FILE *file) { return get(file); }
int MODEL(getc_unlocked)(FILE *file) { return get(file); }
int MODEL(fgetc_unlocked)(FILE *file) { return get(file); }
int MODEL(getchar_unlocked)(void) { return get(stdin); }
int MODEL(ungetc)(int c, FILE *file) { return symcrete_stream_unget(c, file); }

/* Called by macros that take characters out of the buffer themselves: the whole buffer is labelled. */
int MODEL(__uflow)(FILE *file) {
  __symcrete_model_inlined();
  int c = get(file);
  struct stream *s = symcrete_stream_of(file);
  if (s && c != EOF && !(file->_flags & IN_BACKUP)) {
    symcrete_stream_locate(s);
    uint64_t rest = file->_IO_read_end - file->_IO_read_ptr;
    __symcrete_model_label(file->_IO_read_ptr, rest, s->object, s->end_offset - rest);
  }
  return c;
}

int MODEL(fclose)(FILE *file) {
  symcrete_stream_forget(file);
  return NATIVE(fclose)(file);
}

FILE *MODEL(freopen)(const char *path, const char *mode, FILE *file) {
  symcrete_stream_forget(file);
  return NATIVE(freopen)(path, mode, file);
}
