/* The runtime's functions as the pass declares them, for targets instrumented by hand. */
#include <stdint.h>

#define SLOW __attribute__((preserve_most))
void __symcrete_segment(const uint32_t *program, uint64_t *frame, uint64_t bits) SLOW;
void __symcrete_concretise(uint32_t, uint32_t, uint32_t) SLOW;
void __symcrete_lost(uint32_t, uint32_t) SLOW;
void __symcrete_copy(void *, const void *, uint64_t, uint32_t, uint32_t, uint32_t, uint32_t);
void __symcrete_fill(void *, uint64_t, uint32_t, uint32_t, uint32_t, uint32_t);
void __symcrete_clear(void *, uint64_t);
void __symcrete_untaken(uint32_t);
void __symcrete_model_consumed(void);

struct block {
  uint64_t stamp;
  uint32_t count, reserved, arguments[64];
  uint64_t values[64], result_stamp;
  uint32_t results[16];
};
extern struct block __symcrete_block;
extern uint8_t __symcrete_mode;

enum { ADD = 8, EQ = 24, ULT = 26, ZEXT = 40 };

/* Segment programs of one instruction, as in `abi::segment`. Slots 2n and 2n + 1 of the frame are the label
 * and the value of what is numbered n. */
enum { CODE_BINARY = 1, CODE_UNARY, CODE_LOAD = 4, CODE_BRANCH = 6 };
#define SLOT(n) ((2 * (n)) | (2 * (n) + 1) << 16)

/* Runs a program whose sites count from `base`. */
static inline void slow_segment(const uint32_t *words, uint32_t count, uint64_t *frame, uint32_t base) {
  static uint32_t program[16], program_base;
  program_base = base;
  program[0] = (uint32_t)((intptr_t)&program_base - (intptr_t)program);
  for (uint32_t i = 0; i < count; i++)
    program[i + 1] = words[i];
  __symcrete_segment(program, frame, 0);
}
#define SEGMENT(frame, base, ...)                                                                            \
  slow_segment((const uint32_t[]){__VA_ARGS__}, sizeof (const uint32_t[]){__VA_ARGS__} / 4, frame, base)

static inline uint32_t slow_binary(uint32_t op, uint32_t width, uint32_t la, uint32_t lb, uint64_t va, uint64_t vb,
                                   uint64_t result) {
  uint64_t frame[] = {0, result, la, va, lb, vb};
  SEGMENT(frame, 0, CODE_BINARY | op << 8 | width << 16, SLOT(0), SLOT(1), SLOT(2), 0);
  return (uint32_t)frame[0];
}

static inline uint32_t slow_unary(uint32_t op, uint32_t width, uint32_t from, uint32_t la, uint64_t va, uint64_t result) {
  uint64_t frame[] = {0, result, la, va};
  SEGMENT(frame, 0, CODE_UNARY | op << 8 | width << 16 | from << 24, SLOT(0), SLOT(1), 0);
  return (uint32_t)frame[0];
}

static inline uint32_t slow_load(const void *p, uint32_t size, uint64_t value, uint32_t site, uint32_t base) {
  uint64_t frame[] = {0, value, 0, (uint64_t)p};
  SEGMENT(frame, base, CODE_LOAD | size << 8, SLOT(0), SLOT(1), site, 0);
  return (uint32_t)frame[0];
}

static inline void slow_branch(uint32_t label, uint32_t taken, uint32_t site, uint32_t base) {
  uint64_t frame[] = {label, taken};
  SEGMENT(frame, base, CODE_BRANCH, SLOT(0), site, 0);
}

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
