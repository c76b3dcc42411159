// Exceptions through frames with and without something to clean up, caught by type, thrown again, out of recursion.
#include <cstddef>
#include <cstdint>
#include <stdexcept>

static int alive;
struct Bottom {
  int depth;
};
struct Guard {
  int limit;
  explicit Guard(int l) : limit(l) { alive++; }
  ~Guard() {
    if (alive > limit)
      alive--;
    else
      alive = 0;
  }
};

static int risky(int n) {
  Guard guard(n & 3);
  if (n % 3 == 1)
    throw n;
  if (n % 3 == 2)
    throw std::runtime_error("two");
  return n;
}

static int fall(int n) {
  if (n == 0)
    throw Bottom{n + 7};
  try {
    Guard guard(1);
    return fall(n - 1) + 1;
  } catch (int) {
    return -1;
  }
}

static int again(int n) {
  try {
    return risky(n);
  } catch (const std::exception &e) {
    if (e.what()[0] == 't')
      throw;
    return 0;
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int sum = 0;
  alive = 0;
  for (int i = 0; i < 9; i++) {
    try {
      sum += i & 1 ? again(i) : risky(i + (size > 0 ? data[0] & 7 : 0));
    } catch (int k) {
      sum += k > 4 ? k : -k;
    } catch (const std::exception &) {
      sum += 100;
    }
  }
  try {
    sum += fall(6);
  } catch (const Bottom &b) {
    sum += b.depth > 3 ? 1 : 2;
  }
  try {
    std::__throw_out_of_range("by the library");
  } catch (const std::out_of_range &) {
    sum++;
  }
  return sum == -12345;
}
