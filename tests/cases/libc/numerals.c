//@ about: numbers in digits that a program compares with are written out, also where none of that length came before
//@ input: stdin 48
//@ iterations: <= 4000
//@ alone: only `auto` guesses
//@ may-lose: float
//@ allow: unknown
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char line[64];
    while (fgets(line, sizeof line, stdin)) { //~ side: both
        char *end;
        if (!strncmp(line, "port ", 5)) { //~ side: both
            int port = atoi(line + 5);
            if (port == 8080) return 2;      //~ side: both
            if (port * 3 == 30003) return 3; //~ side: both
        } else if (!strncmp(line, "pay ", 4)) { //~ side: both
            double price = strtod(line + 4, &end);
            if (price > 1234.5 && price < 1234.75) return 4; //~ side: both
        } else if (!strncmp(line, "in ", 3)) { //~ side: both
            switch (strtol(line + 3, &end, 10)) {
                case -70000: return 5; //~ case: 1
                case 123456789: return 6; //~ case: 1
                default: break;
            }
        }
    }
    return 0;
}
