/* For the models of C library functions in this folder. Each is named after the function it stands for and
 * is called in its place from tracking bodies. They are compiled by our own compiler, so that their
 * branches are ordinary branches on the data; what they call of the C library is the native function. */
#ifndef MODEL_H
#define MODEL_H

#include <stddef.h>
#include <stdint.h>

#define MODEL(name) __symcrete_libc_##name

/* Kinds of lost precision, as in `abi::lost`. */
enum { LOST_CALL = 1, LOST_ADDRESS = 3, LOST_LENGTH = 4, LOST_FLOAT = 11, LOST_ALLOCATION = 14 };

/* What the runtime tells models (crate `runtime`, streams.rs). Without a traced run nothing is an input
 * object and everything is clean. A shared object with models of its own may be loaded where there is no
 * runtime; nobody calls them then. */
#pragma clang attribute push(__attribute__((weak)), apply_to = function)
int __symcrete_model_object(int fd);
void __symcrete_model_input(int fd, void *file);
uint64_t __symcrete_model_length(int object);
uint64_t __symcrete_model_position(int object, int fd);
void __symcrete_model_label(const void *p, uint64_t n, int object, uint64_t offset);
int __symcrete_model_character(int c, int object, uint64_t offset);
uint64_t __symcrete_model_fix(uint64_t value, unsigned what);
int __symcrete_model_clean(const void *p, uint64_t n);
void __symcrete_model_wish(const void *p, const void *q, uint64_t n, int text);
void __symcrete_model_settle(uint64_t *cell, uint64_t real);
void __symcrete_model_lost(unsigned what);
void __symcrete_model_written(int fd, int c, const void *p, uint64_t n);
void __symcrete_model_errno(void);
void __symcrete_model_flags(void);
void __symcrete_model_clear(const void *p, uint64_t n);
void __symcrete_model_inlined(void);
void __symcrete_model_move(const void *to, const void *from, uint64_t n);
#pragma clang attribute pop

/* It is not known what was written. */
#define MODEL_ANYTHING UINT64_MAX

/* The native function: a call that counts as taken, whatever it is handed (c/native.c). */
#define NATIVE(name) __symcrete_native_##name

/* Copies with their labels; the compiler turns these into what the pass knows. */
#define COPY(to, from, n) __builtin_memcpy(to, from, n)
#define MOVE(to, from, n) __builtin_memmove(to, from, n)
#define FILL(to, byte, n) __builtin_memset(to, byte, n)

/* Keeps the sides of a decision apart: merged into a `select` or a minimum it would not be a branch. */
#define DECIDED __asm__ volatile("")

#endif
