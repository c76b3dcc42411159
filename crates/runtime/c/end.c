/* Linked last into every file: the sections that are laid over shared memory end on a page, and the last
 * constructor hands them in. In an executable it then starts the fork server; a shared object finds the
 * runtime in the executable that loads it, or none, and then is a plain library. */

#include <stdint.h>
#include <stdio.h>

struct module {
  const unsigned char *units, *units_end;
  unsigned char *marks, *marks_end, *sides, *sides_end;
  const unsigned char *models, *models_end;
};

/* One byte at least, so that the sections exist in files without instrumented code. */
__asm__(".pushsection symcrete_marks,\"awR\",@progbits\n"
        ".byte 0\n"
        ".p2align 12\n"
        ".popsection\n"
        ".pushsection symcrete_sides,\"awR\",@progbits\n"
        ".byte 0\n"
        ".p2align 12\n"
        ".popsection\n");

#define OWN __attribute__((weak, visibility("hidden")))
extern const unsigned char __start_symcrete_units[] OWN, __stop_symcrete_units[] OWN;
extern unsigned char __start_symcrete_marks[] OWN, __stop_symcrete_marks[] OWN;
extern unsigned char __start_symcrete_sides[] OWN, __stop_symcrete_sides[] OWN;
extern const unsigned char __start_symcrete_models[] OWN, __stop_symcrete_models[] OWN;

/* Defined where the runtime is linked into this very file. */
extern const char symcrete_runtime_is_here OWN;
/* Defined by our own `main`. */
extern const char symcrete_main_is_ours OWN;

void __symcrete_register(const struct module *) __attribute__((weak));
void __symcrete_unregister(const struct module *) __attribute__((weak));
void __symcrete_serve(int persistent) __attribute__((weak));
void __symcrete_finish(void) __attribute__((weak));

void __symcrete_watch(uint64_t (*pending)(void), uint64_t (*unread)(FILE *, int)) __attribute__((weak));

/* A program without the C library's streams has no `stdin` either. */
extern FILE *stdin __attribute__((weak));

/* What was read into the buffer of `stdin` and not taken yet. */
static uint64_t pending(void) {
  if (!&stdin || !stdin)
    return 0;
  if (stdin->_fileno != 0)
    return UINT64_MAX;
  return stdin->_IO_read_end - stdin->_IO_read_ptr;
}

/* glibc's flag: reading from the area of characters that were put back. */
enum { IN_BACKUP = 0x100 };

/* What is asked of a stream, as in `runtime::watch`. */
enum ask { UNREAD, GIVE_BACK, BUFFER, BUFFER_END };

/* What `file` (or `stdin`) has read ahead; all ones where characters were put back that are not those that were read.
 * Given back it is as if it had not been read: whoever asks moves the descriptor. Or where the buffer is. */
static uint64_t unread(FILE *file, int ask) {
  if (!file) {
    if (!&stdin || !stdin || stdin->_fileno != 0)
      return 0;
    file = stdin;
  }
  if (ask == BUFFER || ask == BUFFER_END)
    return (uint64_t)(ask == BUFFER ? file->_IO_buf_base : file->_IO_buf_end);
  if (file->_flags & IN_BACKUP)
    return UINT64_MAX;
  uint64_t n = file->_IO_read_end - file->_IO_read_ptr;
  if (ask == GIVE_BACK) {
    file->_IO_read_end = file->_IO_read_ptr;
    /* The library's idea of where the descriptor is: not known. */
    file->_offset = -1;
  }
  return n;
}

static const struct module own = {
    __start_symcrete_units, __stop_symcrete_units, __start_symcrete_marks,
    __stop_symcrete_marks,  __start_symcrete_sides, __stop_symcrete_sides,
    __start_symcrete_models, __stop_symcrete_models,
};

/* Its name tells it from constructors of the program. */
static void __symcrete_last(void) {
  if (__symcrete_register)
    __symcrete_register(&own);
  if (&symcrete_runtime_is_here && __symcrete_watch)
    __symcrete_watch(pending, unread);
  if (&symcrete_runtime_is_here && __symcrete_serve)
    __symcrete_serve(&symcrete_main_is_ours != 0);
}

/* The runtime ends with the program; a shared object takes its models along. */
static void finish(void) {
  if (&symcrete_runtime_is_here && __symcrete_finish)
    __symcrete_finish();
  if (!&symcrete_runtime_is_here && __symcrete_unregister)
    __symcrete_unregister(&own);
}

__attribute__((section(".fini_array"), used, retain)) static void (*const destructor)(void) = finish;
__attribute__((section(".init_array"), used, retain)) static void (*const constructor)(void) = __symcrete_last;
