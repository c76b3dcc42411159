//! Names of the C library functions that have a model: a tracking body calls `__symcrete_libc_NAME`
//! instead of `NAME` when the program only declares it. The models are C, built by our own compiler.

pub const PREFIX: &str = "__symcrete_libc_";

/// Sorted, so that lookups can search it.
pub const NAMES: &[&str] = &[
    "_IO_getc", "_IO_putc", "_ZdaPv", "_ZdaPvm", "_ZdlPv", "_ZdlPvm", "_Znam", "_Znwm", "__getdelim",
    "__isoc23_fscanf", "__isoc23_scanf", "__isoc23_sscanf", "__isoc23_strtol", "__isoc23_strtoll",
    "__isoc23_strtoul", "__isoc23_strtoull", "__isoc23_vfscanf", "__isoc23_vscanf", "__isoc23_vsscanf",
    "__isoc99_fscanf", "__isoc99_scanf", "__isoc99_sscanf", "__isoc99_vfscanf", "__isoc99_vscanf",
    "__isoc99_vsscanf", "__uflow", "abs", "aligned_alloc", "asprintf", "atoi", "atol", "atoll", "bcmp", "bcopy",
    "bsearch", "bzero", "calloc", "fclose", "fgetc", "fgetc_unlocked", "fgets", "fprintf", "fputc", "fputs",
    "fputs_unlocked", "fread", "fread_unlocked", "free", "freopen", "fscanf", "fseek", "fseeko", "fstat",
    "ftell", "ftello", "fwrite", "fwrite_unlocked", "getc", "getc_unlocked", "getchar", "getchar_unlocked",
    "getdelim", "getline", "getopt", "getopt_long", "getopt_long_only", "gets", "index", "isalnum", "isalpha",
    "isascii", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct", "isspace",
    "isupper", "isxdigit", "labs", "llabs", "lseek", "malloc", "memalign", "memccpy",
    "memchr", "memcmp", "memcpy", "memmem", "memmove", "mempcpy", "memrchr", "memset", "mmap", "munmap",
    "perror", "posix_memalign", "pread", "printf", "putc", "putc_unlocked", "putchar", "putchar_unlocked",
    "puts", "qsort", "qsort_r", "rawmemchr", "read", "realloc", "reallocarray", "recv", "recvfrom", "rewind",
    "rindex", "scanf", "send", "snprintf", "sprintf", "sscanf", "stpcpy", "stpncpy", "strcasecmp", "strcasestr",
    "strcat", "strchr", "strchrnul", "strcmp", "strcoll", "strcpy", "strcspn", "strdup", "strlen",
    "strncasecmp", "strncat", "strncmp", "strncpy", "strndup", "strnlen", "strpbrk", "strrchr", "strsep",
    "strspn", "strstr", "strtoimax", "strtok", "strtok_r", "strtol", "strtoll", "strtoul", "strtoull",
    "strtoumax", "toascii", "tolower", "toupper", "ungetc", "vasprintf", "vfprintf", "vfscanf", "vprintf",
    "vscanf", "vsnprintf", "vsprintf", "vsscanf", "write",
];
