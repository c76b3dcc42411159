"""Large valid inputs for the speed measurements: the same bytes every time, each accepted by its subject.

    python3 bench/inputs.py FOLDER      writes them there, to look at
"""

import pathlib
import random
import struct
import sys
import zlib


SPECIAL = ['"ab"', '{"k":7}', "true", "false", "null", "let x=5;x*2", "[1,2,3]", '{"m":(4+5)*2}', '"\\n"', "(((1)))", " 12 "]


def parser_document(size=1024):
    """A well-formed JX document of exactly SIZE bytes: lists in a list, arithmetic, names, a few strings and maps.

    The subject allows 8 items a list, 24 bytes of strings and 10 levels; divisors are literals above zero, and few
    factors keep clear of overflow.
    """
    rng = random.Random(1)

    def number():
        return str(rng.randrange(1, 10 ** rng.randrange(1, 4)))

    def operand(operator):
        if operator in "+-":
            return rng.choice([number(), number(), "-" + number(), f"({number()}-{number()})"])
        return number()

    def expression(length):
        text = number()
        while len(text) < length:
            operator = rng.choice("+-*%/")
            text += rng.choice(["", "", " "]) + operator + operand(operator)
        return text

    items = [[expression(10) for _ in range(8)] for _ in range(8)]
    for i, special in enumerate(SPECIAL):
        items[i % 8][3 + i // 8] = special

    def text():
        return "[" + ",".join("[" + ",".join(row) + "]" for row in items) + "]"

    # What is missing to the exact size is spread over the rows as further operands.
    row = 0
    while (missing := size - len(text())) > 0:
        items[row % 8][0] += "+" + number() if missing > 8 else " " * missing
        row += 1
    assert len(text()) == size
    return text().encode()


def integers(count=30):
    rng = random.Random(1)
    return struct.pack(f"<{count}i", *(rng.randrange(-100000, 100000) for _ in range(count)))


def random_bytes(size):
    return random.Random(1).randbytes(size)


def crc_record(length=255):
    payload = random_bytes(length)
    return bytes([length]) + payload + struct.pack("<I", zlib.crc32(payload))


def matrices():
    return random_bytes(32)


LARGE = {"parser": parser_document(), "bsort": integers(), "sha256": random_bytes(4096), "crc32": crc_record(), "matmul": matrices()}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in LARGE.items():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
