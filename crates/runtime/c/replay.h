/* What the parts of libsymcrete_replay.a know of each other. */
#ifndef REPLAY_H
#define REPLAY_H

#include <stddef.h>
#include <stdint.h>

/* The harness' buffer, in memory of its own. */
uint8_t *symcrete_replay_buffer(size_t *size);
/* Installs handlers that write a report to the descriptor named by SYMCRETE_REPORT; nothing without it. */
void symcrete_replay_report(void);
/* `symcrete_target(number)` was reached. */
void symcrete_replay_target(unsigned number);

#endif
