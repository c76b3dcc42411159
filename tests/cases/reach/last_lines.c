//@ about: the last line of a loop without braces is run when its statement is, not when its scope ends
//@ input: stdin =4
#include <stdlib.h>
#include <unistd.h>

static int table[4][4];

int main(void) {
    unsigned char in[4];
    if (read(0, in, 4) != 4)
        exit(1);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j <= i; j++)
            table[i][j] = table[j][i] = in[i] ^ in[j];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            if (table[i][j] != table[j][i])
                return 2; //~ unreachable
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            if (table[i][j] == 255)
                return 3; //~ reach
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            if (table[i][j] == 254)
                break; //~ reach
    return 0;
}
