//! Names of the C library functions that have a model: a tracking body calls `__symcrete_libc_NAME`
//! instead of `NAME` when the program only declares it. The models are C, built by our own compiler.

pub const PREFIX: &str = "__symcrete_libc_";

/// Sorted, so that lookups can search it.
pub const NAMES: &[&str] = &[
    "__ctype_b_loc", "__isoc23_strtol", "__isoc23_strtoll", "__isoc23_strtoul", "__isoc23_strtoull",
    "abs", "accept", "atof", "atoi", "atol", "atoll", "bcmp", "bsearch", "calloc", "close", "dup", "dup2",
    "fclose", "feof", "fgetc", "fgets", "fopen", "fread", "free", "getc", "getchar", "getdelim", "getline",
    "gets", "isalnum", "isalpha", "isascii", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint",
    "ispunct", "isspace", "isupper", "isxdigit", "labs", "llabs", "lseek", "malloc", "memchr", "memcmp",
    "memcpy", "memmem", "memmove", "mempcpy", "memrchr", "memset", "mmap", "munmap", "open", "pread", "qsort",
    "read", "realloc", "recv", "recvfrom", "rewind", "snprintf", "sprintf", "stpcpy", "stpncpy", "strcasecmp",
    "strcat", "strchr", "strchrnul", "strcmp", "strcpy", "strcspn", "strdup", "strlen", "strncasecmp", "strncat",
    "strncmp", "strncpy", "strndup", "strnlen", "strpbrk", "strrchr", "strspn", "strstr", "strtok", "strtok_r",
    "strtol", "strtoll", "strtoul", "strtoull", "toascii", "tolower", "toupper", "ungetc",
    "vsnprintf", "vsprintf",
];
