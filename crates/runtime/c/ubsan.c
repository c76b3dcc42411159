/* What clang calls when a check of -fsanitize=undefined fails. Only the kind and the place matter here:
 * the run ends, and the input that got it there is the bug report. Without an engine the same line goes to
 * standard error. Every check ends the run, also where clang was told to go on. */
#include <stddef.h>
#include <stdint.h>

struct location {
  const char *file;
  uint32_t line, column;
};

_Noreturn void __symcrete_check_failed(const char *kind, const char *file, uint32_t line, uint32_t column);

#define WEAK __attribute__((weak, noreturn, cold))

/* The data of every check begins with its place; further arguments are the operands. */
#define CHECK(name, kind)                                                                                    \
  void __ubsan_handle_##name(struct location *);                                                             \
  WEAK void __ubsan_handle_##name(struct location *at) {                                                     \
    __symcrete_check_failed(kind, at->file, at->line, at->column);                                           \
  }
#define BOTH(name, kind) CHECK(name, kind) CHECK(name##_abort, kind)

BOTH(add_overflow, "integer-overflow")
BOTH(sub_overflow, "integer-overflow")
BOTH(mul_overflow, "integer-overflow")
BOTH(negate_overflow, "integer-overflow")
BOTH(shift_out_of_bounds, "shift")
BOTH(out_of_bounds, "bounds")
BOTH(vla_bound_not_positive, "vla-bound")
BOTH(float_cast_overflow, "float-cast-overflow")
BOTH(load_invalid_value, "invalid-value")
BOTH(implicit_conversion, "implicit-conversion")
BOTH(invalid_builtin, "invalid-builtin")
BOTH(invalid_objc_cast, "invalid-cast")
BOTH(function_type_mismatch, "function-type")
BOTH(function_type_mismatch_v1, "function-type")
BOTH(nonnull_arg, "nonnull")
BOTH(nullability_arg, "nonnull")
BOTH(pointer_overflow, "pointer-overflow")
BOTH(alignment_assumption, "alignment")
CHECK(builtin_unreachable, "unreachable")
CHECK(missing_return, "missing-return")
BOTH(local_out_of_bounds, "bounds")

/* The kind of check comes before the place. */
struct cfi_data {
  unsigned char kind;
  struct location at;
};

void __ubsan_handle_cfi_check_fail(struct cfi_data *);
WEAK void __ubsan_handle_cfi_check_fail(struct cfi_data *data) {
  __symcrete_check_failed("cfi", data->at.file, data->at.line, data->at.column);
}
void __ubsan_handle_cfi_check_fail_abort(struct cfi_data *);
WEAK void __ubsan_handle_cfi_check_fail_abort(struct cfi_data *data) { __ubsan_handle_cfi_check_fail(data); }

/* C++ objects: called for every type that was not seen before, right or wrong. Telling them apart takes the
 * C++ runtime; here no object is accused. */
__attribute__((weak)) uintptr_t __ubsan_vptr_type_cache[128];
void __ubsan_handle_dynamic_type_cache_miss(void);
__attribute__((weak)) void __ubsan_handle_dynamic_type_cache_miss(void) {}
void __ubsan_handle_dynamic_type_cache_miss_abort(void);
__attribute__((weak)) void __ubsan_handle_dynamic_type_cache_miss_abort(void) {}

/* One handler for several faults: the operand tells them apart. */
struct overflow_data {
  struct location at;
  const void *type;
};

void __ubsan_handle_divrem_overflow(struct overflow_data *, uint64_t, uint64_t);
WEAK void __ubsan_handle_divrem_overflow(struct overflow_data *data, uint64_t left, uint64_t right) {
  (void)left;
  /* Operands wider than a word arrive by address, which is not zero. */
  __symcrete_check_failed(right ? "integer-overflow" : "division-by-zero", data->at.file, data->at.line,
                          data->at.column);
}
void __ubsan_handle_divrem_overflow_abort(struct overflow_data *, uint64_t, uint64_t);
WEAK void __ubsan_handle_divrem_overflow_abort(struct overflow_data *data, uint64_t left, uint64_t right) {
  __ubsan_handle_divrem_overflow(data, left, right);
}

struct mismatch_data {
  struct location at;
  const void *type;
  unsigned char log_alignment, kind;
};

void __ubsan_handle_type_mismatch_v1(struct mismatch_data *, uint64_t);
WEAK void __ubsan_handle_type_mismatch_v1(struct mismatch_data *data, uint64_t pointer) {
  uint64_t alignment = (uint64_t)1 << data->log_alignment;
  const char *kind = !pointer ? "null" : pointer & (alignment - 1) ? "alignment" : "object-size";
  __symcrete_check_failed(kind, data->at.file, data->at.line, data->at.column);
}
void __ubsan_handle_type_mismatch_v1_abort(struct mismatch_data *, uint64_t);
WEAK void __ubsan_handle_type_mismatch_v1_abort(struct mismatch_data *data, uint64_t pointer) {
  __ubsan_handle_type_mismatch_v1(data, pointer);
}

/* Two places: where the attribute stands and where the function returned. */
void __ubsan_handle_nonnull_return_v1(void *, struct location *);
WEAK void __ubsan_handle_nonnull_return_v1(void *data, struct location *at) {
  (void)data;
  __symcrete_check_failed("nonnull", at->file, at->line, at->column);
}
void __ubsan_handle_nonnull_return_v1_abort(void *, struct location *);
WEAK void __ubsan_handle_nonnull_return_v1_abort(void *data, struct location *at) {
  __ubsan_handle_nonnull_return_v1(data, at);
}
void __ubsan_handle_nullability_return_v1(void *, struct location *);
WEAK void __ubsan_handle_nullability_return_v1(void *data, struct location *at) {
  __ubsan_handle_nonnull_return_v1(data, at);
}
void __ubsan_handle_nullability_return_v1_abort(void *, struct location *);
WEAK void __ubsan_handle_nullability_return_v1_abort(void *data, struct location *at) {
  __ubsan_handle_nonnull_return_v1(data, at);
}
