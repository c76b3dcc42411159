/* A byte of options, then a table in two pieces; every field is written again, quoted. */
#include <csv.h>
#include <stdint.h>

static void field(void *text, size_t size, void *count) {
  char quoted[160];
  *(size_t *)count += text ? csv_write(quoted, sizeof quoted, text, size) : 0;
}

static void row(int end, void *count) { *(size_t *)count += end == -1; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct csv_parser parser;
  size_t count = 0;
  if (size < 1 || csv_init(&parser, data[0]) != 0) return 0;
  const char *text = (const char *)data + 1;
  size_t half = --size / 2;
  if (csv_parse(&parser, text, half, field, row, &count) == half) {
    csv_parse(&parser, text + half, size - half, field, row, &count);
  }
  if (csv_error(&parser) == CSV_SUCCESS) csv_fini(&parser, field, row, &count);
  csv_free(&parser);
  return 0;
}
