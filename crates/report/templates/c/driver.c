
/* From here on nothing is particular to a test: each runs in a process of its own, in an empty folder. */

#ifndef TIME_LIMIT
#define TIME_LIMIT 10 /* seconds for a test that must end by itself */
#endif
#ifndef TIMES_OUT
#define TIMES_OUT 2 /* seconds after which a test that must not end is believed */
#endif

static const struct input *given;
static size_t given_count;

static void give_up(const char *what) {
  fprintf(stderr, "test: %s: %s\n", what, strerror(errno));
  _exit(125);
}

static void write_all(int fd, const void *bytes, size_t size) {
  const char *at = bytes;
  while (size > 0) {
    ssize_t written = write(fd, at, size);
    if (written <= 0)
      give_up("an input cannot be written");
    at += written, size -= (size_t)written;
  }
}

static int take_away(const char *path, const struct stat *status, int type, struct FTW *place) {
  (void)status, (void)type, (void)place;
  return remove(path);
}

static void put_file(const struct input *input) {
  int fd = open(input->name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0)
    give_up(input->name);
  write_all(fd, input->bytes, input->size);
  close(fd);
}

static void put_stdin(const struct input *input) {
  FILE *file = tmpfile();
  if (!file)
    give_up("no file for standard input");
  write_all(fileno(file), input->bytes, input->size);
  lseek(fileno(file), 0, SEEK_SET);
  dup2(fileno(file), 0);
}

static void put_socket(const struct input *input) {
  int pair[2], size = 4 << 20;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
    give_up("no socket");
  setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  write_all(pair[1], input->bytes, input->size);
  shutdown(pair[1], SHUT_WR);
  dup2(pair[0], 0);
  dup2(pair[0], 1);
}

/* Arguments and variables end at the first zero byte. */
static char *text_of(const struct input *input, const char *prefix) {
  size_t before = strlen(prefix);
  char *text = calloc(1, before + input->size + 1);
  if (!text)
    give_up("no memory for a string");
  memcpy(text, prefix, before);
  memcpy(text + before, input->bytes, input->size);
  return text;
}

static char *fixed_arguments[] = { FIXED_ARGUMENTS NULL };

/* In the child: the inputs are put in place, the program runs, and this does not return. */
static void start(const char *folder) {
  extern char **environ;
  size_t fixed = COUNT(fixed_arguments) - 1, arguments = 1, variables = 0;
  char **argv = calloc(fixed + given_count + 2, sizeof *argv), **env = calloc(given_count + 2, sizeof *env);
  char *libraries = getenv("LD_LIBRARY_PATH");
  int null = open("/dev/null", O_RDWR);
  struct rlimit no_core = { 0, 0 };
  setrlimit(RLIMIT_CORE, &no_core);
  setsid(); /* no job of a shell: what suspends itself goes on */
  if (!argv || !env || null < 0 || chdir(folder))
    give_up(folder);
  if (!getenv("TEST_OUTPUT"))
    dup2(null, 1), dup2(null, 2);
  dup2(null, 0);
  for (size_t i = 0; i < fixed; i++)
    argv[arguments++] = fixed_arguments[i];
  for (size_t i = 0; i < given_count; i++) {
    const struct input *input = &given[i];
    char prefix[512];
    switch (input->kind) {
    case STDIN:
      put_stdin(input);
      break;
    case STREAM:
      put_socket(input);
      break;
    case NAMED_FILE:
      put_file(input);
      break;
    case ARGUMENT:
      argv[arguments++] = text_of(input, "");
      break;
    case VARIABLE:
      snprintf(prefix, sizeof prefix, "%s=", input->name);
      env[variables++] = text_of(input, prefix);
      break;
    case BUFFER:
    case ANSWER:
      break;
    }
  }
  if (libraries)
    env[variables++] = libraries - strlen("LD_LIBRARY_PATH=");
  environ = env;
  enter((int)arguments, argv);
}

static const char *described(enum how how, int number, char *text, size_t size) {
  if (how == EXIT)
    snprintf(text, size, "exit %d", number);
  else if (how == SIGNAL)
    snprintf(text, size, "signal %d (%s)", number, strsignal(number));
  else
    snprintf(text, size, "%s", how == TIMEOUT ? "no end in time" : "any end");
  return text;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Whether the program ends as it must. */
static int run(const char *test, const struct input *inputs, size_t count, enum how how, int number) {
  char folder[] = "/tmp/test-XXXXXX", wanted[128], got[128];
  struct end end = { EXIT, 0 };
  double limit = now() + (how == TIMEOUT ? TIMES_OUT : TIME_LIMIT);
  struct timespec pause = { 0, 50000 };
  int status = 0;
  given = inputs, given_count = count;
  fflush(NULL);
  if (!mkdtemp(folder))
    give_up(folder);
  pid_t child = fork();
  if (child < 0)
    give_up("fork");
  if (child == 0) {
    start(folder);
    _exit(125);
  }
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (now() > limit) {
      end.how = TIMEOUT;
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    nanosleep(&pause, NULL);
    if (pause.tv_nsec < 5000000)
      pause.tv_nsec *= 2;
  }
  kill(-child, SIGKILL); /* whatever it left behind */
  if (end.how != TIMEOUT && WIFSIGNALED(status))
    end.how = SIGNAL, end.number = WTERMSIG(status);
  else if (end.how != TIMEOUT)
    end.number = WEXITSTATUS(status);
  nftw(folder, take_away, 16, FTW_DEPTH | FTW_PHYS);
  if (how == ANYHOW || (how == end.how && (how == TIMEOUT || number == end.number)))
    return 1;
  fprintf(stderr, "%s: expected %s, got %s\n", test, described(how, number, wanted, sizeof wanted),
          described(end.how, end.number, got, sizeof got));
  return 0;
}
