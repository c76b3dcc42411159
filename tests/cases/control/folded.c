//@ about: decisions that the optimiser turns into selects are seen by random runs too
//@ input: function kind
//@ args: --strategy random
//@ alone: a search by solving would spend its time on remainders in a loop
//@ iterations: <= 20000
//@ end: budget
static int divisors(int n) {
    int sum = 0;
    for (int d = 1; d < n; d++)   //~ side: both
        if (n % d == 0) sum += d; //~ side: both
    return sum;
}

int kind(int n) {
    // One comparison for the optimiser, hence for the fast body.
    if (n < 1 || n > 999) return -1; //~ side: both
    int sum = divisors(n), rest = sum - n;
    int result = sum == n ? 3 : sum < n ? 1 : 2; //~ side: both
    if (rest > n) result += 10;                  //~ side: both
    return result;
}
