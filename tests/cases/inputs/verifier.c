//@ about: the competition's functions, in a loop
//@ input: calls
//@ args: --strategy dfs
//@ iterations: <= 300
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

int main(void) {
    unsigned char n = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(n <= 3);
    int sum = 0;
    for (int i = 0; i < n; i++) //~ side: both
        sum += __VERIFIER_nondet_int();
    if (sum == 12345) return 1; //~ side: both
    return 0;
}
