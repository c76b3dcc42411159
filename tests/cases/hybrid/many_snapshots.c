//@ about: a snapshot before nearly every input: hundreds of them, one after the other
//@ input: calls
//@ may-lose: path
//@ args: --strategy hybrid --saturation 1 --max-inputs 1
//@ iterations: <= 1000
#include <symcrete.h>

int main(void) {
    unsigned sum = 0;
    for (int i = 0; i < 400; i++) sum += symcrete_uchar("c") & 1;
    return sum > 200 ? 1 : 0;
}
