/* A shared object with coverage of its own. */
#include "slow.h"

UNIT(0x50)

void mark(void);
void mark(void) { marks[3] = 1; }
