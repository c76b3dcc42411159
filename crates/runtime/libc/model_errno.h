/* errno for models that set it: the native function's own way, so that it does not count as the program's look at it. */
#ifndef MODEL_ERRNO_H
#define MODEL_ERRNO_H

#include <errno.h>
#include "native.h"

#undef errno
#define errno (*NATIVE(__errno_location)())

#endif
