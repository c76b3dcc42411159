/* Models: getopt and its relatives, as glibc has them: options may stand behind other arguments, which are moved
 * to the end; long ones may be abbreviated and may have one `-`. The native functions have a place in the argument
 * list of their own, so all calls of a tracked run come here. What they print about wrong options is left out. */
#define _GNU_SOURCE
#include "model.h"
#include "native.h"
#include <getopt.h>
#include <unistd.h>

int MODEL(getopt)(int argc, char *const *argv, const char *options);
int MODEL(getopt_long)(int argc, char *const *argv, const char *options, const struct option *names, int *index);
int MODEL(getopt_long_only)(int argc, char *const *argv, const char *options, const struct option *names, int *index);
int MODEL(strncmp)(const char *a, const char *b, size_t n);

enum order { OPTIONS_FIRST, IN_ORDER, ANYWHERE };

/* What a call is handed. */
struct call {
  int argc;
  char **argv;
  const char *options;
  const struct option *names;
  int *index;
  int only; /* long options may have one `-` */
  enum order order;
  int missing; /* what a missing argument gives */
};

/* Where the last call stopped: behind `rest` in a group of letters, or at the beginning of an argument. Arguments
 * from `skipped` to `last` are none of options. */
static const char *rest;
static int started, skipped, last;

static int is_set(const char *name) {
  for (char **entry = environ; entry && *entry; entry++) {
    size_t i = 0;
    while (name[i] && (*entry)[i] == name[i])
      i++;
    if (!name[i] && (*entry)[i] == '=')
      return 1;
  }
  return 0;
}

static int is_option(const char *argument) {
  if (argument[0] != '-')
    return 0;
  DECIDED;
  return argument[1] != 0;
}

static void turn(char **argv, int from, int to) {
  for (to--; from < to; from++, to--) {
    char *held = argv[from];
    argv[from] = argv[to], argv[to] = held;
  }
}

/* Those that are no options change places with what was found behind them. */
static void move_skipped(char **argv) {
  turn(argv, skipped, last);
  turn(argv, last, optind);
  turn(argv, skipped, optind);
  skipped += optind - last;
  last = optind;
}

/* What the letter's description begins with; none for letters that are not known. */
static const char *described(const char *options, char letter) {
  for (; *options; options++) {
    if (*options == letter)
      return options;
    DECIDED;
  }
  return NULL;
}

/* The name that is meant: all of it, or the beginning of one, or of several that mean the same. -1: none, -2: unclear. */
static int named(const struct call *call, const char *text, size_t length) {
  int found = -1, unclear = 0;
  for (int i = 0; call->names[i].name; i++) {
    const struct option *name = &call->names[i];
    if (MODEL(strncmp)(name->name, text, length) != 0)
      continue;
    if (NATIVE(strlen)(name->name) == length)
      return i;
    const struct option *other = found < 0 ? name : &call->names[found];
    if (found < 0)
      found = i;
    else if (call->only || other->has_arg != name->has_arg || other->flag != name->flag || other->val != name->val)
      unclear = 1;
  }
  return unclear ? -2 : found;
}

/* A long option at `rest`; -1 where it may be letters after all. */
static int long_option(const struct call *call, int only) {
  const char *text = rest;
  size_t length = 0;
  while (text[length] && text[length] != '=')
    length++;
  int which = named(call, text, length);
  if (which == -1 && only && call->argv[optind][1] != '-' && described(call->options, *text))
    return -1;
  optind++;
  rest = NULL;
  if (which < 0) {
    optopt = 0;
    return '?';
  }
  const struct option *name = &call->names[which];
  if (text[length]) {
    if (name->has_arg == no_argument) {
      optopt = name->val;
      return '?';
    }
    optarg = (char *)text + length + 1;
  } else if (name->has_arg == required_argument) {
    if (optind >= call->argc) {
      optopt = name->val;
      return call->missing;
    }
    optarg = call->argv[optind++];
  }
  if (call->index)
    *call->index = which;
  if (name->flag) {
    *name->flag = name->val;
    return 0;
  }
  return name->val;
}

/* The next letter of a group. */
static int letter(const struct call *call) {
  char c = *rest++;
  int is_last = !*rest;
  if (is_last)
    optind++;
  const char *what = c == ':' || c == ';' ? NULL : described(call->options, c);
  if (!what) {
    optopt = (unsigned char)c;
    return '?';
  }
  int is_long = what[0] == 'W' && what[1] == ';' && call->names;
  if (!is_long && what[1] != ':')
    return c;
  int missing = 0;
  if (!is_last)
    optarg = (char *)rest, optind += !is_long;
  else if (!is_long && what[2] == ':')
    optarg = NULL;
  else if (optind == call->argc)
    missing = 1, optopt = (unsigned char)c;
  else
    optarg = call->argv[optind], optind += !is_long;
  rest = NULL;
  if (missing)
    return call->missing;
  if (!is_long)
    return c;
  rest = optarg;
  optarg = NULL;
  return long_option(call, 0);
}

/* To the next option; 0 where there is none, and `*result` says what that gives. */
static int find(const struct call *call, int *result) {
  int argc = call->argc;
  last = last > optind ? optind : last;
  skipped = skipped > optind ? optind : skipped;
  if (call->order == ANYWHERE) {
    if (skipped != last && last != optind)
      move_skipped(call->argv);
    else if (last != optind)
      skipped = optind;
    while (optind < argc && !is_option(call->argv[optind]))
      optind++;
    last = optind;
  }
  if (optind != argc && MODEL(strncmp)(call->argv[optind], "--", 3) == 0) {
    optind++;
    if (skipped != last && last != optind)
      move_skipped(call->argv);
    else if (skipped == last)
      skipped = optind;
    last = optind = argc;
  }
  *result = -1;
  if (optind == argc) {
    if (skipped != last)
      optind = skipped;
    return 0;
  }
  if (is_option(call->argv[optind]))
    return 1;
  if (call->order == IN_ORDER) {
    optarg = call->argv[optind++];
    *result = 1;
  }
  return 0;
}

static int next(struct call *call) {
  if (call->argc < 1)
    return -1;
  optarg = NULL;
  const char *options = call->options;
  if (optind == 0 || !started) {
    optind = optind ? optind : 1;
    skipped = last = optind;
    rest = NULL;
    started = 1;
  }
  call->order = options[0] == '-' ? IN_ORDER : options[0] == '+' || is_set("POSIXLY_CORRECT") ? OPTIONS_FIRST : ANYWHERE;
  call->options = options += options[0] == '-' || options[0] == '+';
  call->missing = options[0] == ':' ? ':' : '?';
  if (!rest || !*rest) {
    int result;
    if (!find(call, &result))
      return result;
    const char *argument = call->argv[optind];
    if (call->names && argument[1] == '-') {
      rest = argument + 2;
      return long_option(call, call->only);
    }
    rest = argument + 1;
    if (call->names && call->only && (argument[2] || !described(options, argument[1]))) {
      int code = long_option(call, 1);
      if (code != -1)
        return code;
    }
  }
  return letter(call);
}

int MODEL(getopt)(int argc, char *const *argv, const char *options) {
  struct call call = {.argc = argc, .argv = (char **)argv, .options = options};
  return next(&call);
}

int MODEL(getopt_long)(int argc, char *const *argv, const char *options, const struct option *names, int *index) {
  struct call call = {.argc = argc, .argv = (char **)argv, .options = options, .names = names, .index = index};
  return next(&call);
}

int MODEL(getopt_long_only)(int argc, char *const *argv, const char *options, const struct option *names, int *index) {
  struct call call = {.argc = argc, .argv = (char **)argv, .options = options, .names = names, .index = index, .only = 1};
  return next(&call);
}
