//@ about: a comparison with a long word is met as a whole, not letter by letter
//@ input: stdin =48
//@ args: --strategy auto
//@ iterations: <= 600
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

int main(void) {
    char text[49] = "";
    if (read(0, text, 48) != 48) return 9;
    if (memcmp(text, "Donaudampfschiff", 16) != 0) return 1; //~ side: both
    if (strncmp(text + 16, "fahrtsgesellscha", 16) != 0) return 2; //~ side: both
    if (strcasecmp(text + 32, "FTSKAPITAEN.....") != 0) return 3; //~ side: both
    abort(); //~ crash: abort
}
