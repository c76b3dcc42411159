//@ about: files, folders and a changed working folder of one run are gone in the next
//@ input: stdin =1
//@ args: --strategy dfs
//@ iterations: <= 30
//@ end: exhausted
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    unsigned char c;
    if (read(0, &c, 1) != 1) return 9;
    if (access("left", F_OK) == 0) return 8; //~ side: false
    close(open("left", O_CREAT | O_WRONLY, 0600));
    mkdir("deep", 0700);
    if (chdir("deep")) return 7; //~ side: false
    close(open("left", O_CREAT | O_WRONLY, 0600));
    if (c == 1) chdir("/"); //~ side: both
    if (c == 2) return 2;   //~ side: both
    return 0;
}
