/* Answers what a subject asks for (symcrete_input.h) from a buffer, byte after byte; the end of the buffer ends the
 * run. ENTRY is the function that never returns. */
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void ENTRY(void);
int symcrete_int(const char *name);
void symcrete_bytes(void *p, size_t n, const char *name);
void symcrete_target(int k);

static const uint8_t *at, *end;
static jmp_buf over;

static void take(void *p, size_t n) {
  if ((size_t)(end - at) < n)
    longjmp(over, 1);
  memcpy(p, at, n);
  at += n;
}

int symcrete_int(const char *name) {
  int value;
  (void)name;
  take(&value, sizeof value);
  return value;
}

void symcrete_bytes(void *p, size_t n, const char *name) {
  (void)name;
  take(p, n);
}

void symcrete_target(int k) { (void)k; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  at = data, end = data + size;
  if (!setjmp(over))
    ENTRY();
  return 0;
}
