//@ about: numbers and strings printed into a buffer are still input
//@ input: stdin =4
//@ iterations: <= 800
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char b[5] = {0}, text[40];
    if (read(0, b, 4) != 4) return 9;
    int n = snprintf(text, sizeof text, "<%s>%d", b, b[3]);
    if (n > 30) return 1;                       //~ side: false
    if (strcmp(text, "<abc>0") == 0) return 2;  //~ side: both
    if (text[n - 1] == '7' && text[n - 2] == '7') return 3; //~ side: both
    return 0;
}
