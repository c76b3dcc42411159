/* Models: getopt and its relatives. What they find in input-dependent arguments is found natively, and
 * counted as lost: their state is the C library's own. */
#include "model.h"
#include "native.h"
#include <getopt.h>

int MODEL(getopt)(int argc, char *const *argv, const char *options);
int MODEL(getopt_long)(int argc, char *const *argv, const char *options, const struct option *names, int *index);
int MODEL(getopt_long_only)(int argc, char *const *argv, const char *options, const struct option *names, int *index);

int NATIVE(getopt)(int argc, char *const *argv, const char *options);
int NATIVE(getopt_long)(int argc, char *const *argv, const char *options, const struct option *names, int *index);
int NATIVE(getopt_long_only)(int argc, char *const *argv, const char *options, const struct option *names, int *index);

static void look(int argc, char *const *argv) {
  for (int i = 1; i < argc && argv[i]; i++)
    if (!__symcrete_model_clean(argv[i], NATIVE(strlen)(argv[i]) + 1)) {
      __symcrete_model_lost(LOST_CALL);
      return;
    }
}

int MODEL(getopt)(int argc, char *const *argv, const char *options) {
  look(argc, argv);
  return NATIVE(getopt)(argc, argv, options);
}

int MODEL(getopt_long)(int argc, char *const *argv, const char *options, const struct option *names, int *index) {
  look(argc, argv);
  return NATIVE(getopt_long)(argc, argv, options, names, index);
}

int MODEL(getopt_long_only)(int argc, char *const *argv, const char *options, const struct option *names, int *index) {
  look(argc, argv);
  return NATIVE(getopt_long_only)(argc, argv, options, names, index);
}
