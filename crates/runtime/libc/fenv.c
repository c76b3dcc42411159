/* Models: exception flags of float operations. They follow from input as results do, but nobody tracks them: looking at
 * them after input-dependent arithmetic is counted. */
#include "model.h"
#include "native.h"
#include <fenv.h>

int MODEL(fetestexcept)(int which);
int MODEL(fetestexcept)(int which) {
  __symcrete_model_flags();
  return NATIVE(fetestexcept)(which);
}

int MODEL(fegetexceptflag)(fexcept_t *flags, int which);
int MODEL(fegetexceptflag)(fexcept_t *flags, int which) {
  __symcrete_model_flags();
  return NATIVE(fegetexceptflag)((void *)flags, which);
}
