//@ about: conditions over floats and doubles are solved, single solutions and impossible ones among them
//@ input: stdin =8
//@ args: --strategy dfs
//@ allow: unknown
//@ end: exhausted
#include <unistd.h>

int main(void) {
    double d;
    if (read(0, &d, 8) != 8) return 9;       //~ side: false
    float f = (float)d * 0.5f;
    if (d * 3 == 43.5) return 1;             //~ side: both
    if (d > 1.0 && d < 2.0) {                //~ side: both
        if (f > 1.0f) return 2;              //~ side: false
        return 3;
    }
    if (f == 21.0f) return 4;                //~ side: both
    if (d != d) return 5;                    //~ side: both
    if (d + 1 == d && d < 1e16 && d > 0) return 6; //~ side: both
    return 0;
}
