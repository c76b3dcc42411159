/* Corners of C and of clang's dialect; prints what each gives. Compared natively and in both bodies. */
#define _GNU_SOURCE
#include <alloca.h>
#include <complex.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

struct small { char a; short b; };
struct pair { double x; int y; };
struct big { int v[20]; char tail; };
struct flexible { int n; int data[]; };
struct bits { unsigned a : 3; int b : 7; unsigned long long c : 40; _Bool d : 1; int : 0; int e : 31; };
union pun { float f; unsigned u; unsigned char b[4]; };

static NOINLINE struct small make_small(int i) { return (struct small){(char)i, (short)(i * 3)}; }
static NOINLINE struct pair make_pair(struct pair p, int k) { p.x *= k; p.y -= k; return p; }
static NOINLINE struct big make_big(struct big b, int k) { for (int i = 0; i < 20; i++) b.v[i] += i * k; b.tail ^= 1; return b; }

static NOINLINE void structs(void) {
  struct small s = make_small(100);
  struct pair p = make_pair((struct pair){1.25, 9}, 4);
  struct big b = {{1, 2, 3}, 'x'};
  b = make_big(make_big(b, 2), 3);
  struct flexible *f = malloc(sizeof *f + 3 * sizeof(int));
  f->n = 3;
  for (int i = 0; i < f->n; i++) f->data[i] = i * i;
  struct bits t = {5, -33, 0xabcdef0123ull, 1, -7};
  t.a += 4; t.b *= 2; t.c >>= 3; t.e--;
  union pun u = {.f = 1.5f};
  printf("structs %d %d %g %d %d %c %d %u %d %llx %d %d %x %d\n", s.a, s.b, p.x, p.y, b.v[19], b.tail, f->data[2], t.a, t.b, (unsigned long long)t.c, t.d, t.e, u.u, u.b[3]);
  free(f);
}

static NOINLINE int sum(int n, ...) {
  va_list list, copy;
  va_start(list, n);
  va_copy(copy, list);
  double total = 0;
  for (int i = 0; i < n; i++) total += i % 3 == 0 ? va_arg(list, int) : i % 3 == 1 ? va_arg(list, double) : (double)va_arg(list, long long);
  int first = va_arg(copy, int);
  va_end(copy);
  va_end(list);
  return (int)total * 10 + first;
}

static NOINLINE struct pair variadic_struct(int n, ...) {
  va_list list;
  va_start(list, n);
  struct pair last = {0, 0};
  for (int i = 0; i < n; i++) last = va_arg(list, struct pair);
  struct big b = va_arg(list, struct big);
  last.y += b.v[2];
  va_end(list);
  return last;
}

static NOINLINE int vla(int n) {
  int a[n][n + 1];
  for (int i = 0; i < n; i++) for (int j = 0; j <= n; j++) a[i][j] = i * j;
  char *p = alloca((size_t)n * 2);
  memset(p, n, (size_t)n * 2);
  return (int)sizeof a + a[n - 1][n] + p[n];
}

static jmp_buf env;
static NOINLINE void deep(int n) { if (n == 0) longjmp(env, 42); deep(n - 1); puts("never"); }
static NOINLINE int jumps(void) {
  volatile int before = 1;
  int code = setjmp(env);
  if (code == 0) { before = 2; deep(20); }
  sigjmp_buf senv;
  int again = sigsetjmp(senv, 1);
  if (again < 3) siglongjmp(senv, again + 1);
  return code * 100 + before * 10 + again;
}

static volatile sig_atomic_t signalled;
static void on_signal(int s) { signalled += s; }
static NOINLINE int signals(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 3; i++) raise(SIGUSR1);
  return signalled;
}

static NOINLINE int computed_goto(const char *program) {
  static const void *const table[] = {&&add, &&mul, &&sub, &&end};
  int acc = 1;
  goto *table[*program - '0'];
add: acc += 5; program++; goto *table[*program - '0'];
mul: acc *= 3; program++; goto *table[*program - '0'];
sub: acc -= 2; program++; goto *table[*program - '0'];
end: return acc;
}

static NOINLINE int switches(int x) {
  switch (x) {
  case -5 ... -1: return 1;
  case 0: return 2;
  case 7: x++; /* fall through */
  case 8: return x;
  case 1000000: return 3;
  default: return x > 100 ? 4 : 5;
  }
}

typedef int v4 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
static NOINLINE int vectors(int k) {
  v4 a = {1, 2, 3, 4}, b = {k, k + 1, k + 2, k + 3};
  v4 c = a * b + (a > b);
  f4 f = __builtin_convertvector(c, f4) / 3;
  v4 d = __builtin_shufflevector(c, b, 3, 5, 1, 7);
  return c[0] + c[1] + c[2] + c[3] + (int)(f[3] * 100) + d[1] + d[2];
}

static NOINLINE unsigned long long wide(unsigned long long a) {
  unsigned __int128 x = (unsigned __int128)a * a + 7;
  __int128 y = -(__int128)x / 13;
  x = x << 5 | x >> 99;
  return (unsigned long long)(x >> 64) ^ (unsigned long long)x ^ (unsigned long long)y ^ (unsigned long long)(x % 1000003);
}

static NOINLINE double floats(double d, long double l, float f) {
  double complex z = cexp(I * d) * (1 + 2 * I);
  _Float16 h = (_Float16)f;
  h = h * h + (_Float16)0.5f;
  l = sqrtl(l) + (long double)d;
  return creal(z) + cimag(z) + (double)l + (double)h + fma(d, f, 1) + copysign(f, -d) + nearbyint(d) + (isnan(d / 0 * 0) ? 1 : 0) + trunc(-d) + fmod(d, 0.3);
}

static NOINLINE unsigned builtins(unsigned x, long long y) {
  int r;
  unsigned u;
  unsigned n = 0;
  n += __builtin_add_overflow((int)x, (int)y, &r) ? 1000 : (unsigned)r;
  n += __builtin_mul_overflow(x, 77u, &u) ? 2000 : u;
  n += (unsigned)(__builtin_popcountll((unsigned long long)y) + __builtin_clz(x | 1) + __builtin_ctzll((unsigned long long)y | 256));
  n ^= __builtin_bswap32(x) ^ __builtin_bitreverse32(x) ^ __builtin_rotateleft32(x, 11) ^ (unsigned)__builtin_parity(x) ^ (unsigned)__builtin_ffs((int)x);
  n += (unsigned)abs((int)y) + __builtin_elementwise_min(x, 9u) + __builtin_elementwise_add_sat((unsigned char)x, (unsigned char)200);
  if (__builtin_expect(x == 3, 0)) n++;
  return n;
}

static _Thread_local int per_thread = 5;
static atomic_int shared;
static _Atomic(long long) wide_shared = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int guarded;
static void *worker(void *p) {
  int k = *(int *)p;
  for (int i = 0; i < 1000; i++) {
    per_thread += k;
    atomic_fetch_add(&shared, k);
    pthread_mutex_lock(&lock);
    guarded += i & k;
    pthread_mutex_unlock(&lock);
  }
  return (void *)(intptr_t)per_thread;
}
static NOINLINE void threads(void) {
  pthread_t t[3];
  int k[3] = {1, 2, 3};
  long total = 0;
  for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, worker, &k[i]);
  for (int i = 0; i < 3; i++) { void *r; pthread_join(t[i], &r); total += (intptr_t)r; }
  long long expected = 1;
  atomic_compare_exchange_strong(&wide_shared, &expected, 77);
  atomic_fetch_xor(&wide_shared, 5);
  int old = atomic_exchange(&shared, 9);
  printf("threads %ld %d %d %lld %d\n", total, old, guarded, (long long)wide_shared, per_thread);
}

static int compare(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }
static NOINLINE void callbacks(void) {
  int a[] = {3, 9, 1, 7, 5}, key = 7;
  qsort(a, 5, sizeof *a, compare);
  int *found = bsearch(&key, a, 5, sizeof *a, compare);
  size_t (*length)(const char *) = strlen;
  void *(*allocate)(size_t) = malloc;
  void (*release)(void *) = free;
  char *p = allocate(10);
  strcpy(p, "callbacks");
  printf("%s %d %d %zu %d\n", p, a[0], (int)(found - a), length(p), allocate == malloc);
  release(p);
}

static NOINLINE unsigned assembly(unsigned x) {
  unsigned y, z;
  __asm__("leal 3(%1), %0" : "=r"(y) : "r"(x));
  __asm__ volatile("bswap %0" : "=r"(z) : "0"(y));
  __asm__ goto("testl %0, %0\n jz %l1" : : "r"(x) : "cc" : zero);
  return y ^ z;
zero:
  return 1;
}

static int cleaned;
static void clean(int *p) { cleaned += *p; }
static NOINLINE void cleanups(void) { __attribute__((cleanup(clean))) int a = 3; { __attribute__((cleanup(clean))) int b = 10; a += b; } }

__attribute__((weak)) int weak_thing(void) { return 6; }
extern int alias_of_weak(void) __attribute__((alias("weak_thing")));
extern int not_there(void) __attribute__((weak));
static int chosen(void) { return 11; }
static int (*resolve(void))(void) { return chosen; }
int dispatched(void) __attribute__((ifunc("resolve")));

static int started;
__attribute__((constructor)) static void start(void) { started = 4; }
__attribute__((destructor)) static void stop(void) { puts("stop"); }
static void at_exit(void) { puts("at exit"); }

static NOINLINE int tail(int n, int acc) { if (n == 0) return acc; __attribute__((musttail)) return tail(n - 1, acc + n); }
static NOINLINE int nested(int n) { int r = ({ int t = n * 2; t + 1; }); return (n ?: 5) + r + _Generic(n, int: 1, default: 2); }

static NOINLINE void processes(void) {
  fflush(stdout);
  int fds[2];
  if (pipe(fds)) return;
  pid_t child = fork();
  if (child == 0) {
    char text[] = "child";
    if (write(fds[1], text, 5) != 5) _exit(1);
    _exit(7);
  }
  char got[6] = "";
  ssize_t n = read(fds[0], got, 5);
  int status = 0;
  waitpid(child, &status, 0);
  printf("processes %zd %s %d\n", n, got, WEXITSTATUS(status));
}

int main(int argc, char **argv) {
  atexit(at_exit);
  structs();
  printf("varargs %d %g\n", sum(6, 3, 2.5, 4LL, 5, 1e3, -6LL), variadic_struct(2, (struct pair){1, 2}, (struct pair){3.5, 4}, (struct big){{1, 2, 30}, 0}).x);
  printf("vla %d jumps %d signals %d\n", vla(argc + 4), jumps(), signals());
  printf("goto %d %d switches %d %d %d %d %d\n", computed_goto("01012" "3"), computed_goto("3"), switches(-3), switches(7), switches(1000000), switches(500), switches(9));
  printf("vectors %d wide %llx\n", vectors(argc), wide(0x123456789abcdefull + (unsigned)argc));
  printf("floats %.9g builtins %u\n", floats(argc + 0.7, 2.0L, 1.5f), builtins(0xdeadbeef, -5));
  threads();
  callbacks();
  cleanups();
  printf("assembly %x %x cleanups %d\n", assembly(0x1234), assembly(0), cleaned);
  printf("linkage %d %d %d %d %d\n", weak_thing(), alias_of_weak(), not_there != NULL, dispatched(), started);
  printf("tail %d nested %d\n", tail(1000, 0), nested(argc));
  processes();
  errno = 0;
  char *end;
  long v = strtol("99999999999999999999", &end, 10);
  printf("errno %d %ld %d %s\n", errno == ERANGE, v, *end, argv[0] ? "named" : "");
  char text[40];
  snprintf(text, sizeof text, "%-6s|%06.2f|%+d|%#x|%c|%5.3s", "ab", 3.14159, 42, 255, 'z', "truncated");
  puts(text);
  return 3;
}
