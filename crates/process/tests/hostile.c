/* One program, many bad habits: the first argument says which. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int sink;

static int recurse(int depth) {
    volatile char frame[512];
    frame[depth % 512] = (char)depth;
    return recurse(depth + 1) + frame[(depth + 1) % 512];
}

static void die_late(void) { abort(); }

static void spin(void) { for (;;) sink++; }

static void tell(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    char line[32];
    int n = snprintf(line, sizeof line, "%d\n", getpid());
    if (fd >= 0 && write(fd, line, n) == n) close(fd);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "exit")) exit(7);
    if (!strcmp(what, "quick-exit")) _exit(9);
    if (!strcmp(what, "abort")) abort();
    if (!strcmp(what, "null")) *(volatile int *)16 = 1;
    if (!strcmp(what, "divide")) { volatile int top = 1000; sink = top / sink; }
    if (!strcmp(what, "loop")) spin();
    if (!strcmp(what, "wait")) { pause(); return 0; }
    if (!strcmp(what, "recurse")) return recurse(0);
    if (!strcmp(what, "stubborn")) { signal(SIGTERM, SIG_IGN); signal(SIGINT, SIG_IGN); signal(SIGHUP, SIG_IGN); spin(); }
    if (!strcmp(what, "atexit")) { atexit(die_late); return 3; }
    if (!strcmp(what, "close-all")) { for (int i = 0; i < 4096; i++) close(i); return 4; }
    if (!strcmp(what, "chdir")) { if (chdir("/") != 0) return 1; return 5; }
    if (!strcmp(what, "kill-group")) { kill(0, SIGKILL); return 6; }
    if (!strcmp(what, "kill-everyone")) { kill(-1, SIGKILL); return 11; }
    if (!strcmp(what, "stop")) { raise(SIGSTOP); return 12; }
    if (!strcmp(what, "caught")) { signal(SIGUSR1, SIG_IGN); raise(SIGUSR1); return 13; }
    if (!strcmp(what, "echo")) { int c; while ((c = getchar()) != EOF) putchar(c); return 0; }
    if (!strcmp(what, "chatter")) {
        char block[65536];
        memset(block, 'x', sizeof block);
        for (long total = 0; total < 3L << 30; total += sizeof block)
            if (write(1, block, sizeof block) < 0) return 1;
        return 0;
    }
    if (!strcmp(what, "big-file")) {
        int fd = open("big", O_WRONLY | O_CREAT, 0600);
        char block[65536] = {0};
        for (;;) if (write(fd, block, sizeof block) < 0) return 1;
    }
    if (!strcmp(what, "eat")) for (;;) { char *p = malloc(1 << 20); if (!p) return 8; memset(p, 1, 1 << 20); }
    if (!strcmp(what, "fork-bomb")) {
        /* Bounded, so that a broken test does not take the machine with it. */
        int *left = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        *left = 1500;
        for (;;) { if (__sync_fetch_and_sub(left, 1) <= 0 || fork() < 0) pause(); }
    }
    if (!strcmp(what, "daemon")) {
        /* Away from group, session and parent; tells where it can be found. */
        if (fork() == 0) { setsid(); if (fork() == 0) { tell("daemon.pid"); spin(); } _exit(0); }
        wait(NULL);
        for (int i = 0; i < 1000 && access("daemon.pid", F_OK) != 0; i++) usleep(1000);
        return 0;
    }
    if (!strcmp(what, "leave")) { if (fork() == 0) pause(); return 14; }
    if (!strcmp(what, "write")) {
        int fd = open(argv[2], O_WRONLY | O_CREAT, 0600);
        if (fd < 0) return 20;
        return write(fd, "x", 1) == 1 ? 0 : 21;
    }
    if (!strcmp(what, "connect")) {
        struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[2]))};
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        if (fd < 0) return 30;
        return connect(fd, (struct sockaddr *)&to, sizeof to) == 0 ? 0 : 31;
    }
    if (!strcmp(what, "signal")) return kill(atoi(argv[2]), 0) == 0 ? 0 : 32;
    if (!strcmp(what, "descriptors")) {
        for (int i = 0; i < 4096; i++) if (fcntl(i, F_GETFD) >= 0) printf("%d ", i);
        return 0;
    }
    if (!strcmp(what, "address")) { printf("%p %p", (void *)&argc, (void *)main); return 0; }
    if (!strcmp(what, "limits")) {
        struct rlimit stack, core;
        getrlimit(RLIMIT_STACK, &stack);
        getrlimit(RLIMIT_CORE, &core);
        printf("%ld %ld %d", (long)stack.rlim_cur, (long)core.rlim_cur, getpid() == getsid(0));
        return 0;
    }
    if (!strcmp(what, "pipe-signal")) {
        struct sigaction old;
        sigaction(SIGPIPE, NULL, &old);
        return old.sa_handler == SIG_DFL ? 0 : 1;
    }
    if (!strcmp(what, "burn")) { while (clock() < CLOCKS_PER_SEC / 5) sink++; return 0; }
    return 99;
}
