/* Models: C++'s own allocation functions, by their linker names. */
#include "model.h"

void *NATIVE(_Znwm)(size_t n);
void *NATIVE(_Znam)(size_t n);
void NATIVE(_ZdlPv)(void *p);
void NATIVE(_ZdaPv)(void *p);

void *MODEL(_Znwm)(size_t n);
void *MODEL(_Znam)(size_t n);
void MODEL(_ZdlPv)(void *p);
void MODEL(_ZdaPv)(void *p);
void MODEL(_ZdlPvm)(void *p, size_t n);
void MODEL(_ZdaPvm)(void *p, size_t n);

void *MODEL(_Znwm)(size_t n) {
  n = __symcrete_model_fix(n, LOST_ALLOCATION);
  void *p = NATIVE(_Znwm)(n);
  __symcrete_model_clear(p, n);
  return p;
}

void *MODEL(_Znam)(size_t n) {
  n = __symcrete_model_fix(n, LOST_ALLOCATION);
  void *p = NATIVE(_Znam)(n);
  __symcrete_model_clear(p, n);
  return p;
}

/* The size tells how much forgets its labels; without it the next owner's start does that. */
void MODEL(_ZdlPvm)(void *p, size_t n) {
  if (p)
    __symcrete_model_clear(p, n);
  NATIVE(_ZdlPv)(p);
}

void MODEL(_ZdaPvm)(void *p, size_t n) {
  if (p)
    __symcrete_model_clear(p, n);
  NATIVE(_ZdaPv)(p);
}

void MODEL(_ZdlPv)(void *p) { NATIVE(_ZdlPv)(p); }
void MODEL(_ZdaPv)(void *p) { NATIVE(_ZdaPv)(p); }
