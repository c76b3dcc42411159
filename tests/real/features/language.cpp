// Corners of C++: exceptions, virtual bases, templates, closures, the standard library. Compared natively and in both bodies.
#include <algorithm>
#include <any>
#include <array>
#include <coroutine>
#include <cstdio>
#include <deque>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

struct Noisy {
  std::string name;
  static int alive;
  explicit Noisy(std::string n) : name(std::move(n)) { alive++; }
  Noisy(const Noisy &o) : name(o.name + "'") { alive++; }
  Noisy(Noisy &&o) noexcept : name(std::move(o.name)) { alive++; }
  ~Noisy() { alive--; }
};
int Noisy::alive = 0;

struct Base { virtual ~Base() = default; virtual int f() const { return 1; } int base = 10; };
struct Left : virtual Base { int f() const override { return 2; } };
struct Right : virtual Base { int g = 4; };
struct Both final : Left, Right { int f() const override { return Left::f() + base + g; } };

[[gnu::noinline]] static int thrower(int n) {
  Noisy here("here");
  if (n == 0) throw std::runtime_error("zero");
  if (n == 1) throw 17;
  if (n == 2) throw Noisy("thrown");
  if (n == 3) throw std::vector<int>{1, 2, 3};
  return n;
}

[[gnu::noinline]] static std::string catcher(int n) {
  try {
    try {
      return "value " + std::to_string(thrower(n));
    } catch (int i) {
      if (i == 17) throw;
      return "never";
    }
  } catch (const std::exception &e) {
    return std::string("exception ") + e.what();
  } catch (const Noisy &x) {
    return "noisy " + x.name;
  } catch (int i) {
    return "int " + std::to_string(i);
  } catch (...) {
    return "something";
  }
}

[[gnu::noinline]] static int no_throw() noexcept { try { thrower(0); } catch (...) { return 5; } return 6; }

struct Generator {
  struct promise_type {
    int current = 0;
    Generator get_return_object() { return Generator{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) { current = v; return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  explicit Generator(std::coroutine_handle<promise_type> h) : handle(h) {}
  Generator(Generator &&o) noexcept : handle(std::exchange(o.handle, nullptr)) {}
  ~Generator() { if (handle) handle.destroy(); }
};
static Generator squares(int n) { for (int i = 0; i < n; i++) co_yield i * i; }

template <class... T> static auto fold(T... t) { return (t + ... + 0); }
template <int N> struct Fib { static constexpr int value = Fib<N - 1>::value + Fib<N - 2>::value; };
template <> struct Fib<1> { static constexpr int value = 1; };
template <> struct Fib<0> { static constexpr int value = 0; };
static thread_local Noisy per_thread("thread");
static Noisy &once() { static Noisy n("static"); return n; }
static int Base::*member = &Base::base;
static int (Base::*method)() const = &Base::f;

int main(int argc, char **) {
  for (int i = 0; i < 5; i++) std::printf("%d: %s\n", i, catcher(i).c_str());
  std::printf("no_throw %d alive %d\n", no_throw(), Noisy::alive);
  std::unique_ptr<Base> object = std::make_unique<Both>();
  std::printf("virtual %d %d %d %d %s\n", object->f(), (*object).*member, ((*object).*method)(), dynamic_cast<Right *>(object.get())->g, typeid(*object).name());
  std::map<std::string, int> counts;
  std::istringstream words("the cat and the dog and the bird");
  for (std::string w; words >> w;) counts[w]++;
  for (auto &[word, n] : counts) std::cout << word << '=' << n << ' ';
  std::cout << std::endl;
  std::vector<int> v(20);
  std::iota(v.begin(), v.end(), argc);
  std::mt19937 random(42);
  std::shuffle(v.begin(), v.end(), random);
  std::printf("shuffled %d %d %d\n", v[0], v[7], v[19]);
  std::stable_sort(v.begin(), v.end(), [](int a, int b) { return a % 3 < b % 3; });
  auto total = std::accumulate(v.begin(), v.end(), 0LL, [](long long a, int b) { return a * 31 + b; });
  std::priority_queue<int> queue(v.begin(), v.end());
  std::set<int> set(v.begin(), v.end());
  std::unordered_map<std::string, std::list<int>> table;
  for (int i = 0; i < 50; i++) table["k" + std::to_string(i % 7)].push_back(i);
  std::printf("containers %lld %d %zu %zu\n", total, queue.top(), set.count(5), table["k3"].size());
  std::variant<int, std::string, std::vector<int>> variant = std::string("text");
  auto seen = std::visit([](auto &x) -> int { if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::string>) return static_cast<int>(x.size()); else return -1; }, variant);
  std::optional<int> maybe;
  std::any any = 3.5;
  std::printf("variant %d %d %g %d\n", seen, maybe.value_or(8), std::any_cast<double>(any), std::get_if<int>(&variant) == nullptr);
  try { (void)std::any_cast<int>(any); } catch (const std::bad_any_cast &) { std::puts("bad cast"); }
  try { (void)std::vector<int>(3).at(5); } catch (const std::out_of_range &) { std::puts("range"); }
  std::regex pattern(R"((\w+)@(\w+)\.com)");
  std::smatch match;
  std::string text = "mail bob@example.com now";
  if (std::regex_search(text, match, pattern)) std::cout << match[1] << " at " << match[2] << '\n';
  std::function<int(int)> fact = [&](int n) { return n < 2 ? 1 : n * fact(n - 1); };
  int captured = 5;
  auto closure = [captured, &v]() mutable { captured += v[0]; return captured; };
  closure();
  std::printf("closures %d %d %d %d\n", fact(10), closure(), fold(1, 2, 3), Fib<20>::value);
  std::mutex lock;
  int sum = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++) threads.emplace_back([&, i] { for (int j = 0; j < 100; j++) { std::lock_guard guard(lock); sum += i * j + static_cast<int>(per_thread.name.size()); } });
  for (auto &t : threads) t.join();
  std::printf("threads %d %s\n", sum, once().name.c_str());
  auto generator = squares(5);
  int yielded = 0;
  for (generator.handle.resume(); !generator.handle.done(); generator.handle.resume()) yielded += generator.handle.promise().current;
  auto shared = std::make_shared<Noisy>("shared");
  std::weak_ptr<Noisy> weak = shared;
  std::printf("coroutine %d shared %ld ", yielded, weak.use_count());
  shared.reset();
  std::printf("%d\n", weak.expired());
  std::ostringstream out;
  out << std::hex << 255 << ' ' << std::boolalpha << true << ' ' << 1.0 / 3;
  std::cout << out.str() << ' ' << std::get<1>(std::tuple(1, "tuple")) << '\n';
  return Noisy::alive;
}
