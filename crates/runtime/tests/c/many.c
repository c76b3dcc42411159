/* A harness with many marks: each first byte sets its own. */
#include "slow.h"
#include <stddef.h>

static uint32_t site_base;
IN("symcrete_marks") static uint8_t marks[600];
IN("symcrete_sides") static uint8_t sides[1];
IN("symcrete_units") static const struct unit own = {1, 0, 600, 1, 4, &site_base, marks, sides};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 1)
    marks[(data[0] | data[1] << 8) % 600] = 1;
  return 0;
}
