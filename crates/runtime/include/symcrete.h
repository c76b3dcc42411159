/* Asks symcrete for input, tells it what to assume and what to reach.
 *
 * Compiled with `symcrete cc` every value handed out is an input that the engine chooses. The same source
 * also works in a plain build linked with libsymcrete_replay.a, where a recorded test supplies the values. */
#ifndef SYMCRETE_H
#define SYMCRETE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One value of the type named. `name` appears in tests and reports; it may be NULL. */
signed char symcrete_char(const char *name);
unsigned char symcrete_uchar(const char *name);
short symcrete_short(const char *name);
unsigned short symcrete_ushort(const char *name);
int symcrete_int(const char *name);
unsigned symcrete_uint(const char *name);
long symcrete_long(const char *name);
unsigned long symcrete_ulong(const char *name);
long long symcrete_longlong(const char *name);
unsigned long long symcrete_ulonglong(const char *name);
float symcrete_float(const char *name);
double symcrete_double(const char *name);
/* 0 or 1. */
int symcrete_bool(const char *name);
/* A decision among `count` alternatives: one byte. Whatever is not below `count` means the last one. */
unsigned symcrete_choice(unsigned count, const char *name);

/* Fills `n` bytes at `p`. */
void symcrete_bytes(void *p, size_t n, const char *name);

/* The run ends here, without blame, unless `condition` holds. */
void symcrete_assume(int condition);

/* A place that `symcrete reach --targets` tries to reach. */
void symcrete_target(int number);

#ifdef __cplusplus
}
#endif
#endif
