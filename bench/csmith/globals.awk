# Reads a csmith program and prints it with every global that can be an input made one, at the start of main.
# Left alone: pointers (an address chosen by a solver is a crash, not a test of the compiler) and constants.
/--- GLOBAL VARIABLES ---/ { globals = 1 }
/--- FORWARD DECLARATIONS ---/ { globals = 0 }
globals && /^static / {
  head = $0
  sub(/ = .*/, "", head)
  sub(/;.*/, "", head)
  if (head !~ /\*/ && head !~ /(^| )const /) {
    name = head
    sub(/^.* /, "", name)
    sub(/\[.*/, "", name)
    if (name ~ /^g_[0-9]+$/) names[++count] = name
  }
}
/^#include "csmith.h"/ { print; print "#ifdef __cplusplus\nextern \"C\"\n#endif\nvoid symcrete_bytes(void *, size_t, const char *);"; print "#include \"checksum.h\""; next }
/platform_main_begin\(\);/ {
  print
  for (i = 1; i <= count; i++) printf "    symcrete_bytes((void *)&%s, sizeof %s, \"%s\");\n", names[i], names[i], names[i]
  next
}
{ print }
