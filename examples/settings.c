/* settings - reads "name=value" lines, and has two bugs for symcrete to find. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct settings {
  int width, height, zoom;
  char title[8];
};

/* Returns 0 for a line that makes no sense. */
static int apply(struct settings *s, const char *name, const char *value) {
  if (strcmp(name, "width") == 0)
    s->width = atoi(value);
  else if (strcmp(name, "zoom") == 0)
    s->zoom = atoi(value);
  else if (strcmp(name, "title") == 0)
    strncpy(s->title, value, sizeof s->title - 1);
  else
    return 0;
  return 1;
}

static int read_line(struct settings *s, char *line) {
  char *equals = strchr(line, '=');
  if (!equals)
    return 0;
  *equals = 0;
  return apply(s, line, equals + 1);
}

int main(void) {
  struct settings s = {.width = 80, .height = 25, .zoom = 1};
  char line[32];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (line[0] != '#' && !read_line(&s, line))
      return 1;
  }
  int columns = s.width / s.zoom; /* a zoom of 0 */
  assert(columns <= 4000);        /* nobody checked the width */
  printf("%d columns\n", columns);
  return 0;
}
