/* One SQL text against a fresh database with a table in it; work is bounded by a progress handler. */
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static int enough(void *left) {
  return --*(int *)left < 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char sql[257];
  if (size > 256) size = 256;
  memcpy(sql, data, size);
  sql[size] = 0;
  sqlite3 *db;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 0;
  int left = 100;
  sqlite3_progress_handler(db, 100, enough, &left);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 100000);
  sqlite3_exec(db, "create table t(a integer, b text); insert into t values(1, 'one'), (2, 'two')", NULL, NULL, NULL);
  sqlite3_exec(db, sql, NULL, NULL, NULL);
  sqlite3_close(db);
  return 0;
}
