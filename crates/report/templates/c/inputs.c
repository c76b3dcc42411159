#undef main
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How an input reaches the program, and how a run must end. */
enum kind { STDIN, ARGUMENT, VARIABLE, NAMED_FILE, STREAM, BUFFER, ANSWER };
struct input {
  enum kind kind;
  const char *name;
  const void *bytes;
  size_t size;
};
enum how { EXIT, SIGNAL, TIMEOUT, ANYHOW };
struct end {
  enum how how;
  int number;
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define STANDARD_INPUT(text) { STDIN, "stdin", text, sizeof(text) - 1 }
#define SOCKET_INPUT(text) { STREAM, "socket", text, sizeof(text) - 1 }
#define PROGRAM_ARGUMENT(text) { ARGUMENT, "argument", text, sizeof(text) - 1 }
#define ENVIRONMENT(name, text) { VARIABLE, name, text, sizeof(text) - 1 }
#define FILE_INPUT(name, text) { NAMED_FILE, name, text, sizeof(text) - 1 }
#define DATA(text) { BUFFER, "data", text, sizeof(text) - 1 }
/* What the program asks for while it runs, in this order. */
#define VALUE(name, type, value) { ANSWER, name, &(const type){ value }, sizeof(type) }
#define BYTES(name, text) { ANSWER, name, text, sizeof(text) - 1 }

static int run(const char *test, const struct input *inputs, size_t count, enum how how, int number);
