#!/usr/bin/env python3
"""Random small programs, every input tried: does `symcrete reach` ever say what is not so?

    bench/reach/soundness.py [COUNT [FIRST]]    COUNT programs from seed FIRST on; 2000 and 1 without arguments
    STAGE=DIR     the tool (default: target/stage)
    KEEP=DIR      programs with a wrong verdict stay there (default: target/reach-soundness)

A program has two inputs of four bits, globals, arrays, loops, calls, pointers, nodes on the heap (also from functions around
malloc: that keep what they give, call each other and themselves, are called through pointers), ways to end early, some
jumps back out of calls (setjmp, in every third program), arrays between the fields of structs and some targets. A plain build runs all 256 inputs and says which targets are ever reached. Of every second program the targets are asked
for by their lines, of the others by their marks. Exit 1 when a verdict is wrong.
"""
import json, os, pathlib, random, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAGE = pathlib.Path(os.environ.get("STAGE", os.environ.get("SYMCRETE_STAGE", ROOT / "target/stage")))
KEEP = pathlib.Path(os.environ.get("KEEP", ROOT / "target/reach-soundness"))
CLANG = "clang-22"

HEAD = """
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#ifdef BRUTE
static int *reached;
#define symcrete_target(k) (reached[k] = 1)
static unsigned char given[2];
static int asked;
static unsigned char symcrete_uchar(const char *name) { (void)name; return given[asked++]; }
#else
#ifdef LINES
static volatile int hits;
#define symcrete_target(k) (hits = k)
unsigned char symcrete_uchar(const char *name);
#else
#include <symcrete.h>
#endif
#endif
"""

TAIL = """
static void run(void) {
  unsigned char a = symcrete_uchar("a"), b = symcrete_uchar("b");
  if (a > 15 || b > 15) return;
  body(a, b);
}
#ifdef BRUTE
#include <stdio.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
int main(void) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  reached = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 256; i++) {
    int status;
    if (!fork()) {
      given[0] = i & 15; given[1] = i >> 4; asked = 0;
      run();
      _exit(0);
    }
    wait(&status);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1) return 4; // undefined behaviour that is not ours
  }
  for (int k = 0; k < 64; k++) if (reached[k]) printf("%d\\n", k);
}
#else
int main(void) { run(); return 0; }
#endif
"""


SHAPES = """
struct node { int kind; int value; int (*act)(int); struct node *next; unsigned char tag[4]; };
static int up(int v) { return v + 1; }
static int down(int v) { if (v == 9) state = 77; return v - 1; }
static int stay(int v) { return v; }
static struct node pool[2] = {{2, 3, up, 0, "ab"}, {4, 5, 0, &pool[0], "cd"}};
static struct node *head = &pool[1], *last = &pool[0];
static struct node *fresh0(int kind, struct node *next) {
  struct node *n = malloc(sizeof *n);
  if (!n) exit(9);
  n->kind = kind; n->value = 1; n->act = stay; n->next = next;
  for (int i = 0; i < 4; i++) n->tag[i] = kind + i;
  return n;
}
static struct node *fresh1(int kind, struct node *next) {
  struct node *n = calloc(1, sizeof *n);
  if (!n) return next;
  n->kind = kind;
  if (next) n->next = next;
  return n;
}
static void fill(struct node *n, int kind) { n->kind = kind; n->value = kind > 2 ? 6 : 7; }
static struct node *fresh2(int kind, struct node *next) {
  struct node *n = malloc(sizeof *n);
  if (n == 0) exit(9);
  memset(n, 0, sizeof *n);
  fill(n, kind);
  if (kind == 3) { free(n); return next; }
  n->next = next;
  return n;
}
static struct node *fresh3(int kind, struct node *next) {
  struct node made = {kind, 2, kind & 1 ? up : 0, next, {1, 2, 3, 4}};
  struct node *n = malloc(sizeof made);
  if (!n) exit(9);
  *n = made;
  return n;
}
#define APART __attribute__((noinline)) static
static struct node *held, *marked;
APART void *room(unsigned long size) { void *p = malloc(size); if (!p) exit(9); return p; }
APART void *zeros(unsigned long size) { return memset(room(size), 0, size); }
APART void *keeps(unsigned long size) { held = zeros(size); return held; }
APART void *more(void *p, unsigned long size) { p = realloc(p, size); if (!p) exit(9); return p; }
APART void drop(void *p) { free(p); }
static void *(*maker)(unsigned long) = room;
static void set_all(struct node *n, int kind) {
  n->kind = kind; n->value = kind + 1; n->act = kind & 1 ? stay : 0; n->next = 0;
  for (int i = 0; i < 4; i++) n->tag[i] = i;
}
APART struct node *fresh4(int kind, struct node *next) {
  struct node *n = room(sizeof *n);
  set_all(n, kind);
  if (kind == 5) { drop(n); return next; }
  n->next = next;
  return n;
}
APART struct node *fresh5(int kind, struct node *next) {
  struct node *n = maker(sizeof *n);
  set_all(n, kind + 8);
  n->next = next;
  return n;
}
APART struct node *fresh6(int kind, struct node *next) {
  struct node *n = zeros(sizeof *n);
  n->kind = kind;
  n->next = kind > 0 ? fresh6(kind - 1, next) : next;
  return n;
}
APART struct node *fresh7(int kind, struct node *next) {
  struct node *n = room(sizeof *n);
  set_all(n, kind);
  n = more(n, 3 * sizeof *n);
  n[1] = *n; n[2] = pool[0];
  n->next = next ? next : n + 1;
  return n + (kind & 1);
}
APART struct node *fresh8(int kind, struct node *next) {
  long *p = zeros(sizeof *p + sizeof(struct node));
  *p = kind;
  marked = (struct node *)(p + 1);
  marked->next = next;
  return marked;
}
struct chart { int low; unsigned char cell[6]; int (*act)(int); int row[4]; struct node *link[3]; int high; };
static struct chart chart = {1, {2, 3}, stay, {4, 5}, {pool}, 6}, spare;
static struct { int first; unsigned char all[256]; int last; } wide;
APART void count(int *to, int upto, int value) { for (int i = 0; i < upto; i++) to[i] = value; }""".splitlines()


class Writer:
    """One program. Everything it can compute is defined: no wild shifts, divisions or indices."""

    def __init__(self, seed):
        self.seed, self.random = seed, random.Random(seed)
        self.lines, self.targets, self.names = [], 0, 0
        self.helpers, self.ends = [], []

    def pick(self, *choices):
        return self.random.choice(choices)

    def number(self):
        return str(self.pick(0, 1, 2, 3, 4, 5, 7, 8, 10, 12, 15, 16, 31, self.random.randrange(64)))

    def expression(self, names, depth=2):
        kind = self.random.randrange(10)
        if depth == 0 or kind < 3:
            return self.pick(*names, self.number()) if names else self.number()
        x, y = self.expression(names, depth - 1), self.expression(names, depth - 1)
        if kind < 7:
            return f"({x} {self.pick('+', '-', '*', '^', '&', '|')} {y})"
        if kind == 7:
            return f"({x} {self.pick('<<', '>>')} ({y} & 3))"
        if kind == 8:
            return f"({x} {self.pick('/', '%')} (({y} & 7) + 1))"
        return self.pick(f"g[{x} & 3]", f"table[{x} & 7]", "state", "*p", f"s.x", f"s.y")

    def condition(self, names):
        x, y = self.expression(names, 1), self.expression(names, 1)
        one = f"{x} {self.pick('==', '!=', '<', '<=', '>', '>=')} {y}"
        other = self.random.randrange(5)
        if other == 0:
            return f"{one} && {self.pick(*names)} {self.pick('<', '>', '==')} {self.number()}"
        if other == 1:
            return f"{one} || {self.pick(*names)} {self.pick('<', '>', '!=')} {self.number()}"
        return one

    def target(self):
        self.targets += 1
        return f"symcrete_target({self.targets});"

    def statement(self, names, writable, depth, indent):
        pad = "  " * indent
        kind = self.random.randrange(26)
        if kind >= 22 and depth > 0:
            return self.shape(names, writable, indent)
        if depth == 0 or kind < 3:
            if self.targets < 12 and self.random.randrange(3) == 0:
                return [pad + self.target()]
            return [pad + f"{self.pick(*writable)} = {self.expression(names)};"]
        if kind < 7:
            lines = [pad + f"if ({self.condition(names)}) {{"] + self.block(names, writable, depth - 1, indent + 1)
            if self.random.randrange(2):
                lines += [pad + "} else {"] + self.block(names, writable, depth - 1, indent + 1)
            return lines + [pad + "}"]
        if kind == 7:
            self.names += 1
            i = f"i{self.names}"
            bound = self.pick(self.number(), f"({self.pick(*names)} & 15)", f"({self.expression(names, 1)} & 7)")
            inner = self.block(names + [i], writable, depth - 1, indent + 1)
            leave = [pad + f"  if ({self.condition(names + [i])}) {self.pick('break', 'continue')};"]
            return [pad + f"for (int {i} = 0; {i} < {bound}; {i}++) {{"] + inner + (
                leave if self.random.randrange(3) == 0 else []) + [pad + "}"]
        if kind == 8:
            cases = self.random.sample(range(8), 3)
            lines = [pad + f"switch ({self.expression(names, 1)} & 7) {{"]
            for case in cases:
                lines += [pad + f"case {case}:"] + self.block(names, writable, depth - 1, indent + 1)
                if self.random.randrange(3):
                    lines.append(pad + "  break;")
            return lines + [pad + "}"]
        if kind == 9:
            return [pad + f"g[{self.expression(names, 1)} & 3] = {self.expression(names)};"]
        if kind == 10:
            return [pad + f"p = {self.pick('&state', '&g[1]', '&g[2]', '&s.y', '&other')};"]
        if kind == 11:
            return [pad + f"*p = {self.expression(names)};"]
        if kind == 12:
            return [pad + f"s.{self.pick('x', 'y')} = {self.expression(names)};"]
        if kind == 13 and self.helpers:
            helper = self.pick(*self.helpers)
            return [pad + f"{self.pick(*writable)} = {helper}({self.expression(names, 1)}, {self.expression(names, 1)});"]
        if kind == 15 and self.random.randrange(2):
            self.names += 1
            q, which = f"q{self.names}", self.pick("g", "local")
            stop = self.pick(f"{which} + 4", f"{which} + ({self.pick(*names)} & 3)")
            inner = self.pick(f"*{q} = {self.expression(names, 1)};", f"*{q} += {q} - {which};", f"if (*{q} == {self.number()}) break;",
                              f"if (*{q} > {self.pick(*names)}) *{q} = {self.number()};")
            return [pad + f"for (int *{q} = {which}; {q} < {stop}; {q}++) {{ {inner} }}",
                    pad + f"if (local[{self.random.randrange(4)}] == {self.expression(names, 1)})", pad + "  " + self.target()]
        if kind == 14:
            return [pad + f"if ({self.condition(names)}) return;"] if indent == 1 else [pad + "state++;"]
        if kind >= 20:
            value = self.pick("1", "2", "4", f"{self.condition(names)} ? 3 : 6", "mode")
            ask = [pad + f"if (mode == {self.random.randrange(8)} && {self.condition(names)})", pad + "  " + self.target()]
            return [pad + f"mode = {value};"] + (ask if self.random.randrange(2) else [])
        if kind >= 18:
            return self.counters(names, writable, depth, indent)
        if kind == 16 and self.ends and self.random.randrange(2):
            return [pad + f"if ({self.condition(names)})", pad + f"  {self.pick(*self.ends)}({self.expression(names, 1)});"]
        return [pad + f"state = {self.expression(names)};"]

    def shape(self, names, writable, indent):
        """Something about nodes on the heap, in variables, copied and filled; and a question about one."""
        pad = "  " * indent
        if self.random.randrange(3) == 0:
            return self.chart(names, writable, indent)
        node = lambda: self.pick("head", "head", "last", "&pool[0]", "&pool[1]", f"&pool[{self.pick(*names)} & 1]")
        n = f"({node()})"
        set_one = self.pick(
            f"{n}->kind = {self.random.randrange(1, 6)};", f"{n}->value = {self.expression(names, 1)};",
            f"{n}->act = {self.pick('up', 'down', 'stay')};", f"{n}->tag[{self.pick(*names)} & 3] = {self.number()};",
            f"{n}->kind |= {self.pick('8', '16')};")
        do = self.pick(
            f"head = fresh{self.random.randrange(4)}({self.random.randrange(6)}, head);",
            f"head = fresh{self.random.randrange(4, 9)}({self.random.randrange(6)}, {self.pick('head', 'last')});",
            f"last = fresh{self.random.randrange(4, 9)}({self.random.randrange(6)}, {self.pick('0', 'head')});",
            f"{{ struct node *made = {self.pick('room', 'zeros', 'keeps', 'maker')}(sizeof *made); set_all(made, {self.random.randrange(9)}); made->next = {node()}; {self.pick('head', 'last')} = made; }}",
            f"maker = {self.pick('room', 'zeros', 'keeps')};", f"if (held) held->{self.pick('kind', 'value')} = {self.random.randrange(20)};",
            f"if (marked && ((long *)marked)[-1] == {self.random.randrange(8)}) {self.pick(*writable)} = {self.number()};",
            f"last = {node()};", f"last = ({node()})->next ? ({node()})->next : last;", f"{n}->next = {node()};", set_one, set_one,
            f"if ({self.condition(names)}) {set_one}",
            f"*{n} = *{node()};", f"memcpy({node()}, {node()}, sizeof(struct node));", f"memset({node()}, 0, sizeof(struct node));",
            f"memset(&{n}->value, 0, {self.pick('1', '2', '4')});", f"if ({n}->act) {self.pick(*writable)} = {n}->act({self.expression(names, 1)});",
            f"if ({n}->act == {self.pick('up', 'down', 'stay')}) {self.pick(*writable)} = {self.number()};")
        field = self.pick(f"{n}->kind == {self.random.randrange(20)}", f"{n}->value == {self.number()}", f"{n}->act == {self.pick('up', 'down', 'stay', '0')}",
                          f"{n}->tag[{self.random.randrange(4)}] == {self.number()}", f"{n}->next == {self.pick('0', 'head', '&pool[1]')}",
                          f"(({n}->kind ^ {n}->tag[1]) & 3) == 2")
        ask = [pad + f"if ({field})", pad + "  " + self.target()]
        return [pad + do] + (ask if self.random.randrange(2) else [])

    def chart(self, names, writable, indent):
        """Arrays between other fields, with indices that have bounds of all kinds; and a question about the fields."""
        pad = "  " * indent
        self.names += 1
        i, c = f"i{self.names}", self.pick("chart", "chart", "spare")
        index = lambda size: self.pick(f"(unsigned){self.expression(names, 1)} % {size}", f"(unsigned char){self.expression(names, 1)} % {size}u",
                                       f"({self.pick(*names)} & {1 if size < 4 else 3})", f"(unsigned){self.expression(names, 1)} >> 4 & 1")
        kind = self.pick("int", "unsigned", "unsigned char", "long")
        inner = self.pick(f"{c}.row[{i}] = {self.number()};", f"{c}.row[{i}] = {i} + {self.random.randrange(3)};", f"{c}.cell[{i}] += {i};",
                          f"if ({c}.row[{i}] == {self.number()}) break; {c}.row[{i}]++;", f"if ({i} == {self.random.randrange(4)}) continue; {c}.cell[{i} + 1] = {i};")
        loop = self.pick(f"for ({kind} {i} = 0; {i} < 4; {i}++) {{ {inner} }}", f"for ({kind} {i} = {self.pick('0', '2')}; {i} != 4; {i} += 2) {{ {inner} }}",
                         f"for ({kind} {i} = ({self.pick(*names)} & 3); {i} <= 3; {i}++) {{ {inner} }}",
                         f"{{ {kind} {i} = 0; do {{ {inner} }} while (++{i} < {self.pick('2', '4')}); }}",
                         f"{{ {kind} {i} = {self.pick('0', '1')}; do {{ {inner} }} while ({i}++ {self.pick('<', '!=')} 3); }}",
                         f"for ({kind} {i} = 3; {i} > 0; {i}--) {{ {inner} }}", f"for (int {i} = -128; {i} < 128; {i}++) wide.all[(unsigned char){i}] = {i} & 7;",
                         f"for (int {i} = 0; {i} < 256; {i}++) wide.all[{i}] = {self.pick('0', '5', i)};")
        do = self.pick(loop, loop, loop, f"{c}.cell[{index(6)}] = {self.number()};", f"{c}.row[{index(4)}] = {self.expression(names, 1)};",
                       f"{c}.link[{index(3)}] = {self.pick('head', 'last', '0', 'pool')};", f"count({c}.row, {self.pick('4', '2', index(5))}, {self.number()});",
                       f"wide.all[(unsigned char){self.expression(names, 1)}] = {self.number()};", f"{c}.{self.pick('low', 'high')} = {self.random.randrange(9)};",
                       f"{self.pick(*writable)} = wide.all[{self.pick(*names)} & 255];", "spare = chart;", "chart = spare;",
                       f"memcpy({c}.cell, &wide.all[{index(64)}], 6);", f"memset({c}.row, 0, sizeof {c}.row);", f"{c}.act = {self.pick('up', 'down')};",
                       f"{{ int *q{i} = &{c}.row[{index(4)}]; *q{i} = {self.number()}; }}", f"if ({c}.act) {self.pick(*writable)} = {c}.act({self.expression(names, 1)});",
                       f"wide.{self.pick('first', 'last')} = {self.random.randrange(4)};")
        field = self.pick(f"{c}.low == {self.random.randrange(9)}", f"{c}.high == {self.random.randrange(9)}", f"{c}.act == {self.pick('up', 'down', 'stay', '0')}",
                          f"{c}.link[{index(3)}] == {self.pick('0', 'head', 'pool')}", f"{c}.row[{index(4)}] == {self.number()}",
                          f"{c}.cell[{index(6)}] == {self.number()}", f"wide.{self.pick('first', 'last')} == {self.random.randrange(4)}",
                          f"wide.all[{index(64)}] {self.pick('==', '>')} {self.number()}", f"wide.all[{self.pick(*names)} & 255] > 255")
        ask = [pad + f"if ({field})", pad + "  " + self.target()]
        return [pad + do] + (ask if self.random.randrange(2) else [])

    def counters(self, names, writable, depth, indent):
        """A loop in which several values move together, or nearly so, and a question about them behind it."""
        pad = "  " * indent
        self.names += 1
        i, j = f"i{self.names}", f"j{self.names}"
        kind = self.pick("int", "unsigned", "unsigned char", "long")
        first = self.pick(self.number(), f"({self.pick(*names)} & 7)")
        other = self.pick(self.number(), f"({self.pick(*names)} & 7)", i)
        step, by = self.pick("1", "2", "3", "4"), self.pick("1", "2", "3", f"({self.pick(*names)} & 3)")
        bound = self.pick(str(self.random.randrange(40)), f"({self.pick(*names)} & 31)", f"({self.pick(*names)} * 2 & 31)")
        if self.random.randrange(3):
            head = f"for ({kind} {i} = {first}, {j} = {other}; {i} {self.pick('<', '<=')} {bound}; {i} += {step})"
        else:
            head = f"for ({kind} {i} = {bound}, {j} = {other}; {i} {self.pick('>', '>=')} {step}; {i} -= {step})"
        moves = [f"{j} {self.pick('+=', '-=')} {by};"]
        if self.random.randrange(3) == 0:
            moves = [f"if ({self.condition(names + [i])}) {moves[0]}", self.pick("", f"else {j}++;")]
        if self.random.randrange(4) == 0:
            moves.append(f"if ({self.condition(names + [i, j])}) break;")
        if self.random.randrange(4) == 0:
            moves.append(f"if ({j} {self.pick('<', '>', '==')} {self.expression(names + [i], 1)})\n{pad}    {self.target()}")
        x = self.pick(*writable)
        after = self.pick(f"{x} % 2 == {self.random.randrange(2)}", f"{x} == {self.number()}", f"{x} < {self.expression(names, 1)}",
                          f"{x} == {self.expression(names, 1)}")
        return [pad + head + " {", *(pad + "  " + move for move in moves), pad + f"  {x} = {self.pick(i, j, i + ' + ' + j)};", pad + "}",
                pad + f"if ({after})", pad + "  " + self.target()]

    def end(self, number):
        """A function after which a run is over, most of the time."""
        over = lambda: self.pick("abort();", "exit(3);", "*(volatile int *)8 = 1;", "raise_it();", "state /= zero;")
        body = []
        if self.random.randrange(2):
            body += ["  " + self.target()]
        if self.random.randrange(2):
            body += [f"  if ({self.condition(['m'])}) {{", "    " + over(), "    " + self.target(), "  }"]
        if self.ends and self.random.randrange(2):
            body += [f"  {self.pick(*self.ends)}(m - 1);", "  " + self.target()]
        if self.random.randrange(4):
            body += ["  " + over()]
        return [f"static {self.pick('', '__attribute__((noinline)) ')}void end{number}(int m) {{", *body, "}"]

    def jumps(self):
        """A function that is come back to by jumps out of one that it calls. What C leaves undefined then is not there: its own
        variables are not changed behind setjmp, or are volatile."""
        turns = self.random.randrange(2)
        env = "env[k & 1]" if turns else "env[0]"
        value = self.pick("1", "2", "1 + (m & 1)", "m & 3")
        thrower = ["static void thrower(int m) {", "  int x = m, y = 2;", "  static int local[4];", *self.block(["m", "x", "y"], ["x", "y"], 1, 1),
                   f"  if (tries < 3 && ({self.condition(['m', 'x'])})) {{ tries++; longjmp(env[{'(unsigned)m % ready' if turns else '0'}], {value}); }}",
                   "  " + self.target(), "}"]
        inside = ["a", "b", "x", "y"]
        ask = lambda: [f"    if ({self.condition(inside)} && {self.condition(inside)})", "      " + self.target()]
        behind = lambda: self.block(inside, ["state", "other"], 1, 2)
        again = [f"    if ({self.condition(inside)}) thrower({self.expression(inside, 1)});"] if self.random.randrange(2) else []
        text = ["static void guarded(int a, int b) {", f"  int x = {self.expression(['a', 'b'], 1)}, y = {self.number()};", "  static int local[4];"]
        text += self.block(inside, ["x", "y"], 1, 1)
        text += [f"  for (volatile int k = 0; k < {1 + turns}; k++)", f"  switch (setjmp({env})) {{", "  case 0:"]
        text += ["    if (ready < 2) ready++;" if turns else "    ready = 1;", *behind(), f"    thrower({self.expression(inside, 1)});", *ask(), "    break;"]
        text += ["  case 1:", *ask(), *again, *behind(), *ask(), "    break;", "  default:", *ask(), "  }", *ask(), "}"]
        return ["static jmp_buf env[2];", "static int tries, ready;", *thrower, *text]

    def block(self, names, writable, depth, indent):
        lines = []
        for _ in range(self.random.randrange(1, 4)):
            lines += self.statement(names, writable, depth, indent)
        return lines

    def program(self):
        text = [HEAD]
        text += [f"static int g[4] = {{{', '.join(self.number() for _ in range(4))}}};"]
        text += [f"static const int table[8] = {{{', '.join(self.number() for _ in range(8))}}};"]
        text += [f"static int state = {self.number()}, other;", "static struct { int x; int y; } s;", "static int *p = &other;", f"{self.pick('static ', '')}int mode = {self.random.randrange(3)};"]
        text += SHAPES
        for number in range(self.random.randrange(3)):
            name = f"help{number}"
            body = ["  int local[4] = {m, n};"] + self.block(["m", "n", "r"], ["r"], 1, 1)
            body = [line.replace("return;", "return r;") for line in body]
            text += [f"static {self.pick('', '__attribute__((noinline)) ')}int {name}(int m, int n) {{", "  int r = 0;"] + body + ["  return r;", "}"]
            self.helpers.append(name)
        text += ["static volatile int zero;", "static void raise_it(void) { abort(); }"]
        for number in range(self.random.randrange(3)):
            text += self.end(number)
            self.ends.append(f"end{number}")
        jumps = self.seed % 3 == 0
        if jumps:
            text += self.jumps()
        names = ["a", "b", "x", "y"]
        body = []
        for _ in range(self.random.randrange(2, 6)):
            body += self.statement(names, ["x", "y"], 3, 1)
        for _ in range(self.random.randrange(5) if self.seed // 2 % 2 else 0):
            body += self.chart(names, ["x", "y"], 1)
        if self.ends and self.random.randrange(3):
            body += [f"  if ({self.condition(names)})", f"    {self.pick(*self.ends)}({self.expression(names, 1)});"]
        if jumps:
            body.insert(0, "  guarded(a, b);")
        body += [f"  if ({self.condition(names)})", "    " + self.target(), f"  if ({self.condition(names)} && {self.condition(names)})", "    " + self.target()]
        text += ["static void body(int a, int b) {", "  int x = 0, y = 1, local[4] = {3, 1, 4, 1};", "  (void)x; (void)y; (void)local;"] + body + ["}"]
        return "\n".join(text) + TAIL


def judge(seed, folder):
    source = folder / f"program{seed}.c"
    text = Writer(seed).program()
    source.write_text(text)
    native = folder / "brute"
    flags = ["-O1", "-w", "-fwrapv", "-fsanitize=undefined", "-fno-sanitize=signed-integer-overflow,shift,null,alignment,integer-divide-by-zero", "-fno-sanitize-recover=all"]
    if subprocess.run([CLANG, *flags, "-DBRUTE", source, "-o", native]).returncode:
        return "does not compile", {}
    try:
        brute = subprocess.run([native], capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return None, {}
    if brute.returncode:
        return None, {}
    real = {int(line) for line in brute.stdout.split()}
    out = folder / "out"
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if "symcrete_target(" in line and "define" not in line]
    number_of = {f"{source}:{n}": int(line.split("symcrete_target(")[1].split(")")[0]) for n, line in lines}
    by_lines = seed % 2 == 0 and lines
    command = [STAGE / "bin/symcrete", "reach", "--max-cpu", "4s", "--json", "--quiet", "--out", out]
    if by_lines:
        command += ["--cflags", "-w -DLINES", *number_of, "--", source]
    else:
        command += ["--cflags", "-w", "--targets", source]
    ours = subprocess.run(command, capture_output=True, text=True, timeout=120)
    subprocess.run(["rm", "-rf", out])
    # The compiler saw that they never run.
    gone = [line.split()[1] for line in ours.stderr.splitlines() if "has no code of its own" in line]
    for name in gone:
        if number_of[name] in real:
            return f"target {number_of[name]} is reachable, we say that {name} has no code", {}
    if gone and not ours.stdout:
        return None, {}
    try:
        answers = json.loads(ours.stdout)["targets"]
    except ValueError:
        if "no call of symcrete_target" in ours.stderr:
            return None, {}
        return f"exit {ours.returncode}: {ours.stderr.strip()}", {}
    counts = {}
    for answer in answers:
        name, verdict = answer["target"], answer["verdict"]
        number = number_of[name] if by_lines else int(name.split()[1])
        what = answer["obstacle"]["what"].split(":")[0] if answer["obstacle"] else ""
        counts[(verdict, what, number in real)] = counts.get((verdict, what, number in real), 0) + 1
        if (verdict == "reached") != (number in real) and verdict != "unknown":
            return f"target {number} is {'reachable' if number in real else 'never reached'}, we say {verdict}", counts
    return None, counts


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    total, wrong = {}, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for seed in range(first, first + count):
            fault, counts = judge(seed, folder)
            for key, value in counts.items():
                total[key] = total.get(key, 0) + value
            if fault:
                wrong += 1
                KEEP.mkdir(parents=True, exist_ok=True)
                os.replace(folder / f"program{seed}.c", KEEP / f"program{seed}.c")
                print(f"seed {seed}: {fault}", flush=True)
            else:
                (folder / f"program{seed}.c").unlink(missing_ok=True)
    targets = sum(total.values())
    told = lambda verdict: sum(value for key, value in total.items() if key[0] == verdict)
    print(f"reach, {count} programs from seed {first}, {targets} targets: {told('reached')} reached, "
          f"{told('unreachable')} proved unreachable, {told('unknown')} unknown; wrong verdicts: {wrong} (bar 0)")
    for (verdict, what, real), value in sorted(total.items(), key=lambda item: -item[1]):
        if verdict == "unknown":
            print(f"  unknown, {what}, really {'reachable' if real else 'unreachable'}: {value}")
    sys.exit(1 if wrong else 0)


main()
