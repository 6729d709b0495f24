"""Splits recordings of the kernel's routing messages into inputs of the fuzz target: FOLDER RECORDING..."""
import pathlib
import struct
import sys

# The byte before a reply, by the type of the request: RTM_GETLINK and so on. Two of a kind are a list and a single one,
# or the two versions of the protocol.
LINK, ADDRESS, ROUTE, NEIGHBOUR, RULE = 18, 22, 26, 30, 34
QUESTIONS = {LINK: (4, 6), ADDRESS: (8, 8), ROUTE: (2, 3), NEIGHBOUR: (10, 11), RULE: (12, 13)}
DUMP = 0x300

folder = pathlib.Path(sys.argv[1])
inputs = set()
for path in sys.argv[2:]:
    for line in pathlib.Path(path).read_text().splitlines():
        word, *rest = line.split() or [""]
        if word == "event":
            inputs.add(bytes([0]) + bytes.fromhex(rest[0]))
        elif word == "exchange":
            request = bytes.fromhex(rest[0])
            kind, flags = struct.unpack_from("<HH", request, 4)
            second = flags & DUMP == DUMP if kind == LINK else request[16] == 10
            inputs.add(bytes([QUESTIONS[kind][second]]) + bytes.fromhex("".join(rest[1:])))
for number, content in enumerate(sorted(inputs)):
    (folder / f"{number:04}").write_bytes(content)
