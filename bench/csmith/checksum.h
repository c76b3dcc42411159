/* What a csmith program does with its checksum when all its globals are inputs: compare it with the native
 * one, because nobody reads the output of a tracked run. */
#include <stdlib.h>
#ifdef EXPECTED
static void compare_checksum(unsigned long found) {
  if ((uint32_t)found != (uint32_t)EXPECTED) abort();
}
#define platform_main_end(found, flag) compare_checksum(found)
#endif
