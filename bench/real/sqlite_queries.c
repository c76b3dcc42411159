/* Runs the statements of a file on a database in memory and prints every row, every error and every count. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void run(sqlite3 *db, const char *sql) {
  while (*sql) {
    sqlite3_stmt *statement = NULL;
    const char *rest = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, &rest) != SQLITE_OK) {
      printf("error: %s\n", sqlite3_errmsg(db));
      const char *next = strchr(sql, ';');
      if (!next) return;
      sql = next + 1;
      continue;
    }
    sql = rest;
    if (!statement) continue;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      for (int i = 0; i < sqlite3_column_count(statement); i++) {
        const unsigned char *text = sqlite3_column_text(statement, i);
        printf("%s%d:%s", i ? "|" : "", sqlite3_column_type(statement, i), text ? (const char *)text : "NULL");
      }
      printf("\n");
    }
    if (code != SQLITE_DONE) printf("error: %s\n", sqlite3_errmsg(db));
    else printf("-- %d changes\n", sqlite3_total_changes(db));
    sqlite3_finalize(statement);
  }
}

int main(int argc, char **argv) {
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : stdin;
  if (!file) return 2;
  size_t size = 0, room = 1 << 16;
  char *sql = malloc(room + 1);
  for (size_t n; (n = fread(sql + size, 1, room - size, file)) > 0;) {
    size += n;
    if (size == room) sql = realloc(sql, (room *= 2) + 1);
  }
  sql[size] = 0;
  sqlite3 *db;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 3;
  run(db, sql);
  sqlite3_close(db);
  free(sql);
  return 0;
}
