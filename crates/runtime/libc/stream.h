/* Streams (`FILE`) on input objects, for the models of stdio. */
#ifndef STREAM_H
#define STREAM_H

#include "model.h"
#include "native.h"

struct stream {
  FILE *file;
  int fd, object;
  /* Where the buffer ended when it was last looked at, and the offset in the object of that end. */
  char *end;
  uint64_t end_offset;
  /* Offset of the next byte: the value is always the real one, the label says how it came about. */
  uint64_t at;
  /* A character that was put back and is not the one that was read. */
  int pushed, has_pushed;
};

/* The stream on an input object, NULL for any other file. */
__attribute__((visibility("hidden"))) struct stream *symcrete_stream_of(FILE *file);
/* The file is closed or becomes another one. */
__attribute__((visibility("hidden"))) void symcrete_stream_forget(FILE *file);
/* Brings `at` up to date. */
__attribute__((visibility("hidden"))) void symcrete_stream_locate(struct stream *s);
/* The program is about to read from the file: an input statement, unless the end was seen already. */
#define READING(file)                                                                                        \
  do {                                                                                                       \
    if (!((file)->_flags & 0x10))                                                                            \
      __symcrete_model_input((file)->_fileno, file);                                                         \
  } while (0)
/* The next character of any file, as `getc` returns it. */
__attribute__((visibility("hidden"))) int symcrete_stream_get(FILE *file);
__attribute__((visibility("hidden"))) int symcrete_stream_unget(int c, FILE *file);

#endif
