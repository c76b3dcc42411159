"""Other people's programs behind harnesses of ours, as sources and flags that any compiler takes: our tool, libFuzzer and
the coverage build have to see the same code.

It fetches and configures, once; it measures nothing.
"""

import random
import shlex

from measure import BENCH, CLANG, SUBJECTS, cache, run

HARNESS = BENCH / "real" / "harness"
EXPAT_CONFIG = """
#define BYTEORDER 1234
#define HAVE_MEMMOVE 1
#define XML_CONTEXT_BYTES 1024
#define XML_DTD 1
#define XML_GE 1
#define XML_NS 1
#define XML_POOR_ENTROPY 1
"""
# grep's matcher, and what it needs of its library.
GREP = ["src/dfasearch", "src/kwset", "src/searchutils", "lib/dfa", "lib/localeinfo", "lib/regex", "lib/xmalloc", "lib/ialloc",
        "lib/mbrtowc", "lib/mbrlen", "lib/memchr2", "lib/malloc/dynarray_resize", "lib/hard-locale", "lib/obstack",
        "lib/setlocale_null", "lib/exitfail"]
ROOM = [f"-D{name}=room_{name}" for name in ("malloc", "calloc", "realloc", "reallocarray", "free")]


class Program:
    """sources: the harness first; flags: for compiling; most: bytes of an input; judged: the folder whose code counts."""

    def __init__(self, name, sources, flags, most, judged, libraries=()):
        self.name, self.sources, self.flags, self.most = name, sources, ["-w", *flags], most
        self.judged, self.libraries = judged, list(libraries)

    def is_cxx(self):
        return self.sources[0].suffix == ".cpp"

    def for_our_tool(self):
        """Arguments of `run`."""
        return [*self.sources, "--cflags", shlex.join([*self.flags, *self.libraries])]

    def compiled(self, program, *flags):
        """Builds it with clang."""
        clang = CLANG.replace("clang", "clang++", 1) if self.is_cxx() else CLANG
        run([clang, *flags, *self.flags, *self.sources, *self.libraries, "-o", program])
        return program


def fetched(package):
    run([BENCH / "real" / "fetch.sh", "debian", package, cache()])
    return cache() / package / "src"


def expat(work):
    library = fetched("expat") / "expat" / "lib"
    (work / "expat_config.h").write_text(EXPAT_CONFIG)
    parts = [library / f"{name}.c" for name in ("xmlparse", "xmlrole", "xmltok")]
    return Program("expat", [HARNESS / "expat.c", *parts], [f"-I{work}", f"-I{library}", "-DHAVE_EXPAT_CONFIG_H"], 64, library)


def grep(work):
    source = fetched("grep")
    ready = source / "symcrete-configured"
    if not ready.exists():
        # Its regex instead of the C library's; the library's headers are made by its own build.
        run(["sh", "-c", f"./configure --with-included-regex --disable-nls --disable-perl-regexp CC={CLANG} && make AUTOMAKE=: AUTOCONF=: ACLOCAL=: AUTOHEADER=: -C lib"], cwd=source)
        ready.touch()
    flags = ["-DHAVE_CONFIG_H", f"-I{source}", f"-I{source}/lib", f"-I{source}/src", "-Dexit=give_up", *ROOM]
    return Program("grep", [HARNESS / "grep.c", *(source / f"{name}.c" for name in GREP)], flags, 48, source)


def subst(_work):
    return Program("subst", [SUBJECTS / "subst.c"], [], 20, SUBJECTS)


def cjson(_work):
    source = fetched("cjson")
    return Program("cjson", [HARNESS / "cjson.c", source / "cJSON.c"], [f"-I{source}"], 48, source, ["-lm"])


def zlib(_work):
    source = fetched("zlib")
    names = ("adler32", "compress", "crc32", "deflate", "inffast", "inflate", "inftrees", "trees", "uncompr", "zutil")
    return Program("zlib", [HARNESS / "zlib.c", *(source / f"{name}.c" for name in names)], [f"-I{source}"], 48, source)


def lua(work):
    source = fetched("lua5.4") / "src"
    (work / "lua5.4-deb-multiarch.h").write_text('#define DEB_HOST_MULTIARCH ""\n')
    names = sorted(path for path in source.glob("*.c") if path.stem not in ("lua", "luac"))
    # Its strings are hashed with a seed from clock and addresses; a campaign wants runs that repeat.
    flags = ["-std=gnu99", "-Dluai_makeseed(l)=1u", f"-I{work}", f"-I{source}"]
    return Program("lua", [HARNESS / "lua.c", *names], flags, 48, source, ["-lm"])


def libcsv(_work):
    source = fetched("libcsv")
    return Program("libcsv", [HARNESS / "libcsv.c", source / "libcsv.c"], [f"-I{source}"], 48, source)


def tinyxml2(_work):
    source = fetched("tinyxml2")
    return Program("tinyxml2", [HARNESS / "tinyxml2.cpp", source / "tinyxml2.cpp"], [f"-I{source}"], 48, source)


# Programs from Debian's sources that have a harness here, beside the two that every table has.
URN = {"cjson": cjson, "libcsv": libcsv, "lua": lua, "tinyxml2": tinyxml2, "zlib": zlib}


def drawn(count, seed):
    """So many of the others, by a seeded draw."""
    return random.Random(seed).sample(sorted(URN), min(count, len(URN)))


KNOWN = {"expat": expat, "grep": grep, "subst": subst, **URN}
