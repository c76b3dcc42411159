//@ about: exceptions thrown on input, caught by type, with destructors on the way
//@ input: stdin =4
//@ args: --strategy dfs
//@ iterations: <= 60
#include <stdexcept>
#include <unistd.h>

static int destroyed;
struct Guard {
    ~Guard() { destroyed++; }
};

static int parse(int x) {
    Guard guard;
    if (x < 0) throw std::runtime_error("negative"); //~ side: both
    if (x == 4096) throw x;                          //~ side: both
    return x;
}

int main() {
    int x;
    if (read(0, &x, 4) != 4) return 9;
    try {
        int y = parse(x);
        if (y == 12) return 1; //~ side: both
    } catch (const std::exception &) {
        return destroyed == 1 ? 2 : 3; //~ side: true
    } catch (int code) {
        return code == 4096 ? 4 : 5; //~ side: true
    }
    return 0;
}
