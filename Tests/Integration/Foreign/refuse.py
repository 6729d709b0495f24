"""Runs a program that may open no netlink socket, as RestrictAddressFamilies= of systemd.exec(5) has it:
refuse.py PROGRAM ARGUMENT …
"""

import ctypes
import errno
import os
import socket
import struct
import sys

# struct seccomp_data: the call's number is at 0, its first argument at 16; seccomp(2).
NUMBER = {"x86_64": 41, "aarch64": 198, "riscv64": 198}[os.uname().machine]
LOAD, IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EAFNOSUPPORT
program = [
    (LOAD, 0, 0, 0),
    (IF_EQUAL, 0, 3, NUMBER),
    (LOAD, 0, 0, 16),
    (IF_EQUAL, 0, 1, socket.AF_NETLINK),
    (RETURN, 0, 0, REFUSE),
    (RETURN, 0, 0, ALLOW),
]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))
filter = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program), ctypes.addressof(code)))
libc = ctypes.CDLL(None, use_errno=True)
# PR_SET_NO_NEW_PRIVS, without which only root may filter, and PR_SET_SECCOMP with SECCOMP_MODE_FILTER.
for arguments in ((38, 1, 0, 0, 0), (22, 2, filter, 0, 0)):
    if libc.prctl(*arguments) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
os.execv(sys.argv[1], sys.argv[1:])
