/* The runtime's functions as the pass declares them, for targets instrumented by hand. */
#include <stdint.h>

#define SLOW __attribute__((preserve_most))
uint32_t __symcrete_binary(uint32_t, uint32_t, uint32_t, uint64_t, uint64_t, uint64_t) SLOW;
uint32_t __symcrete_unary(uint32_t, uint32_t, uint64_t, uint64_t) SLOW;
uint32_t __symcrete_wide(uint32_t, uint32_t, uint32_t, uint32_t) SLOW;
uint32_t __symcrete_load(const void *, uint32_t, uint32_t, uint32_t, uint64_t) SLOW;
uint32_t __symcrete_load_wide(const void *, uint32_t, uint32_t, uint32_t) SLOW;
void __symcrete_store(void *, uint32_t, uint32_t, uint32_t, uint32_t) SLOW;
void __symcrete_branch(uint32_t, uint32_t, uint32_t) SLOW;
void __symcrete_switch(uint32_t, uint32_t) SLOW;
void __symcrete_concretise(uint32_t, uint32_t, uint32_t) SLOW;
void __symcrete_lost(uint32_t, uint32_t) SLOW;
void __symcrete_copy(void *, const void *, uint64_t, uint32_t, uint32_t, uint32_t, uint32_t);
void __symcrete_fill(void *, uint64_t, uint32_t, uint32_t, uint32_t, uint32_t);
void __symcrete_clear(void *, uint64_t);
void __symcrete_untaken(uint32_t);

struct block {
  uint64_t stamp;
  uint32_t count, reserved, arguments[64];
  uint64_t values[64], result_stamp;
  uint32_t results[16];
};
extern struct block __symcrete_block;
extern uint8_t __symcrete_mode;
extern uint64_t __symcrete_scratch[8];

enum { ADD = 8, EQ = 24, ULT = 26, ZEXT = 40 };

/* One unit with four marks, two sides and ten sites. */
struct unit {
  uint32_t version, sites, marks_count, sides_count;
  uint64_t hash;
  uint32_t *site_base;
  uint8_t *marks, *sides;
};

#define IN(section_name) __attribute__((section(section_name), used, retain))
#define UNIT(number)                                                                                         \
  static uint32_t site_base;                                                                                 \
  IN("symcrete_marks") static uint8_t marks[4];                                                              \
  IN("symcrete_sides") static uint8_t sides[2];                                                              \
  IN("symcrete_units") static const struct unit own = {1, 10, 4, 2, number, &site_base, marks, sides};

/* Label of the result of `function`, which has just returned. */
static inline uint32_t result_of(const void *function) {
  uint32_t label = __symcrete_block.result_stamp == (uint64_t)function ? __symcrete_block.results[0] : 0;
  __symcrete_block.result_stamp = 0;
  return label;
}
