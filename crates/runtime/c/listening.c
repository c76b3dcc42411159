/* Servers that wait for clients by themselves. Where a run that is recorded or replayed has a connection (`--socket`: a
 * stream at descriptor 0), that is the one client there is: the first `accept` gives it, whatever the program listens at.
 * A socket that listens looks as if somebody were waiting, for programs that ask `poll` or `select` first. Whoever
 * accepts again is told that the client is gone, and where nothing is read any more in between, the run ends as if it
 * had been asked to: it would wait forever. Children that serve the client are waited for before that.
 * Weak: a program that defines one of these keeps its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WEAK __attribute__((weak))

int __symcrete_engine(void) WEAK;

/* Out of the program's way; and how often in a row nobody is accepted before the end. */
enum { HIGH = 512, MOST = 3 };

/* A copy of the connection, which outlives the program's own standard input. */
static int connection = -1;
static int is_given, refused, left_before;

static int connected(void) {
  struct stat s;
  if (connection < 0 && __symcrete_engine && __symcrete_engine() && !fstat(0, &s) && S_ISSOCK(s.st_mode))
    connection = fcntl(0, F_DUPFD_CLOEXEC, HIGH);
  return connection >= 0;
}

WEAK int socket(int domain, int type, int protocol) {
  /* Before it may become a daemon without standard input. */
  connected();
  return (int)syscall(SYS_socket, domain, type, protocol);
}

WEAK int bind(int s, const struct sockaddr *at, socklen_t length) {
  int failed = (int)syscall(SYS_bind, s, at, length);
  /* Somebody else may have the address: nothing depends on it. */
  return connected() ? 0 : failed;
}

WEAK int listen(int s, int backlog) {
  int pair[2];
  if (!connected() || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
    return (int)syscall(SYS_listen, s, backlog);
  int state = fcntl(s, F_GETFL), flags = fcntl(s, F_GETFD);
  int far = fcntl(pair[1], F_DUPFD_CLOEXEC, HIGH);
  if (dup2(pair[0], s) != s || write(far, "", 1) != 1)
    return -1;
  fcntl(s, F_SETFL, state);
  fcntl(s, F_SETFD, flags);
  close(pair[0]);
  close(pair[1]);
  return 0;
}

WEAK int accept4(int s, struct sockaddr *restrict from, socklen_t *restrict length, int flags) {
  if (!connected())
    return (int)syscall(SYS_accept4, s, from, length, flags);
  if (!is_given) {
    is_given = 1;
    struct sockaddr_in client = {.sin_family = AF_INET, .sin_port = htons(40000)};
    client.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (from && length) {
      memcpy(from, &client, *length < sizeof client ? *length : sizeof client);
      *length = sizeof client;
    }
    int fd = fcntl(connection, flags & SOCK_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 3);
    if (flags & SOCK_NONBLOCK)
      fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    return fd;
  }
  siginfo_t info;
  waitid(P_ALL, 0, &info, WEXITED | WNOWAIT);
  int left = 0;
  ioctl(connection, FIONREAD, &left);
  refused = left == left_before ? refused + 1 : 1;
  left_before = left;
  if (refused > MOST)
    exit(0);
  errno = ECONNABORTED;
  return -1;
}

WEAK int accept(int s, struct sockaddr *restrict from, socklen_t *restrict length) {
  return accept4(s, from, length, 0);
}
