//@ about: a matrix read at two input-dependent indices
//@ input: stdin =2
//@ args: --strategy dfs
//@ iterations: <= 6
//@ end: exhausted
#include <unistd.h>

static int matrix[8][10];

int main(void) {
    unsigned char b[2];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 10; j++) matrix[i][j] = 100 * i + j;
    if (read(0, b, 2) != 2) return 9;
    int v = matrix[b[0] % 8][b[1] % 10];
    if (v == 509) return 1;  //~ side: both
    if (v == 510) return 2;  //~ side: false
    if (v > 706) return 3;   //~ side: both
    return 0;
}
