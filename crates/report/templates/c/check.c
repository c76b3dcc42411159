
/* https://libcheck.github.io/check */
#include <check.h>

START_TEST(one) { ck_assert_msg(tests[_i].passes(), "%s failed", tests[_i].name); }
END_TEST

int main(int argc, char **argv) {
  Suite *suite = suite_create(SUITE);
  SRunner *runner;
  int failed;
  FIND_PROGRAM
  (void)argc, (void)argv;
  for (size_t i = 0; i < COUNT(tests); i++) {
    TCase *each = tcase_create(tests[i].name);
    tcase_set_timeout(each, 2 * TIME_LIMIT);
    tcase_add_loop_test(each, one, (int)i, (int)i + 1);
    suite_add_tcase(suite, each);
  }
  runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed > 0;
}
