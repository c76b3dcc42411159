
/* https://cmocka.org */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void one(void **state) {
  const struct test *test = *state;
  assert_true(test->passes());
}

int main(int argc, char **argv) {
  static struct CMUnitTest all[COUNT(tests)];
  FIND_PROGRAM
  (void)argc, (void)argv;
  for (size_t i = 0; i < COUNT(tests); i++) {
    all[i].name = tests[i].name;
    all[i].test_func = one;
    all[i].initial_state = (void *)(uintptr_t)&tests[i];
  }
  return cmocka_run_group_tests_name(SUITE, all, NULL, NULL);
}
