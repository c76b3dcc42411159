//@ about: a server that listens, waits for clients by poll and accepts them is given the one connection there is
//@ input: socket 12
//@ args: --strategy dfs
//@ iterations: <= 1500
//@ end: exhausted
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int logged_in, client = -1;

static int serve(void) {
    char line[16] = {0};
    if (read(client, line, sizeof line - 1) <= 0) return 1; //~ side: both
    if (!strncmp(line, "USER bob", 8)) logged_in = 1;       //~ side: both
    else if (!strncmp(line, "QUIT", 4)) _exit(logged_in + 3); //~ side: both
    return 0;
}

int main(void) {
#ifdef CASE_NATIVE
    client = 0;
    while (!serve()) {}
    return 0;
#else
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(7)};
    int door = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(door, (struct sockaddr *)&at, sizeof at) || listen(door, 4)) return 1;
    for (;;) {
        struct pollfd waiting[2] = {{door, POLLIN, 0}, {client, POLLIN, 0}};
        poll(waiting, 2, -1);
        if (waiting[0].revents) {
            int next = accept(door, NULL, NULL);
            if (next >= 0) client = next;
        }
        if (waiting[1].revents && serve()) {
            close(client);
            client = -1;
        }
    }
#endif
}
