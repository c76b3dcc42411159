//@ about: a connected stream: requests come in, answers go out
//@ input: socket 5
//@ args: --strategy dfs
//@ iterations: <= 300
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    char b[4];
    long n = recv(0, b, 4, 0);
    if (n <= 0) return 1;                        //~ side: both
    if (write(1, "hello", 5) != 5) return 8;
    if (n == 4 && b[0] == 'P' && b[3] == 'G') {  //~ side: both
        n = read(0, b, 1);
        if (n == 1 && b[0] == '\n') return 2;    //~ side: both
        return 3;
    }
    return 0;
}
