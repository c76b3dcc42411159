/* One bit of the exit code for each source that holds what it should. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    char line[64] = "", text[64] = "";
    int code = 0;
    if (fgets(line, sizeof line, stdin) && !strcmp(line, "hello")) code |= 1;
    if (argc == 3 && !strcmp(argv[1], "first") && !strcmp(argv[2], "arg")) code |= 2;
    const char *colour = getenv("COLOUR");
    if (colour && !strcmp(colour, "red")) code |= 4;
    FILE *file = fopen("data.txt", "r");
    if (file && fgets(text, sizeof text, file) && !strcmp(text, "file")) code |= 8;
    return code;
}
