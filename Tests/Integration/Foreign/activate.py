"""Hands sockets to a program as systemd does, sd_listen_fds(3): activate.py KIND:NAME:PATH … -- PROGRAM ARGUMENT …

KIND is stream (listening), datagram, unbound (a stream socket that does not listen), route (a netlink socket as
ListenNetlink=route opens it) or generic (a netlink socket of another kind); the last two have no PATH.
"""

import os
import socket
import sys

split = sys.argv.index("--")
wanted, command = sys.argv[1:split], sys.argv[split + 1 :]
sockets, names = [], []
for kind, name, path in (word.split(":", 2) for word in wanted):
    if kind in ("route", "generic"):
        made = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0 if kind == "route" else 16)
        made.bind((0, 0))
    else:
        made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM if kind == "datagram" else socket.SOCK_STREAM)
    if kind in ("datagram", "stream"):
        made.bind(path)
    if kind == "stream":
        os.chmod(path, 0o666)
        made.listen(64)
    sockets.append(made)
    names.append(name)
# Descriptors are duplicated to high numbers first: a wanted number may be in use by another socket of the list.
high = [os.dup(made.fileno()) for made in sockets]
for made in sockets:
    made.detach()
os.closerange(3, min(high))
for number, descriptor in enumerate(high, start=3):
    os.dup2(descriptor, number, inheritable=True)
os.closerange(3 + len(high), max(high) + 1)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(high)), LISTEN_FDNAMES=":".join(names))
os.execv(command[0], command)
