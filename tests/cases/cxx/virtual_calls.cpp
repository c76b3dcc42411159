//@ about: virtual functions of objects chosen by input
//@ input: stdin =5
//@ args: --strategy dfs
//@ iterations: <= 100
#include <memory>
#include <unistd.h>

struct Shape {
    virtual ~Shape() = default;
    virtual int area(int n) const = 0;
};
struct Square : Shape {
    int area(int n) const override { return n * n; }
};
struct Strip : Shape {
    int area(int n) const override { return n * 3; }
};

int main() {
    unsigned char kind;
    int n;
    if (read(0, &kind, 1) != 1 || read(0, &n, 4) != 4) return 9;
    std::unique_ptr<Shape> shape;
    if (kind == 's') shape = std::make_unique<Square>(); //~ side: both
    else shape = std::make_unique<Strip>();
    int a = shape->area(n);
    if (a == 1522756 && kind == 's') return 1;  //~ side: both
    if (a == 333 && n > 5) return 2;            //~ side: both true
    return 0;
}
