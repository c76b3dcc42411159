/* A JSON text: parsed, printed, parsed again, compared. */
#include <cJSON.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  cJSON *tree = cJSON_ParseWithLength((const char *)data, size);
  if (!tree) return 0;
  char *text = cJSON_PrintUnformatted(tree);
  if (text) {
    cJSON *again = cJSON_Parse(text);
    if (again && cJSON_Compare(tree, again, 1)) cJSON_Minify(text);
    cJSON_Delete(again);
    free(text);
  }
  cJSON_Delete(tree);
  return 0;
}
