"""A receiver on a pseudo-terminal that plays a recording of ten positions a second, forward and backward without end,
each position with the present time.

    receiver.py RECORDING LINK
    receiver.py RECORDING PIPE --pipe   on a named pipe: gpsd derives no time from a pseudo-terminal
"""

import datetime
import fcntl
import functools
import operator
import os
import pty
import select
import sys
import time
import tty

RATE = 10


def epochs(path):
    """The recording's lines, grouped by time."""
    found = []
    with open(path, encoding="ascii") as file:
        for line in file:
            if line.startswith("$GPRMC"):
                found.append([])
            if line.startswith("$"):
                found[-1].append(line.strip()[1:].partition("*")[0].split(","))
    return found


def sentence(fields, timestamp):
    """One sentence with another time; NMEA 0183."""
    fields = list(fields)
    if fields[0] in ("GPRMC", "GPGGA", "GPGST"):
        fields[1] = timestamp.strftime("%H%M%S.") + f"{timestamp.microsecond // 10_000:02}"
    if fields[0] == "GPRMC":
        fields[9] = timestamp.strftime("%d%m%y")
    body = ",".join(fields)
    return f"${body}*{functools.reduce(operator.xor, body.encode()):02X}\r\n".encode()


def terminal(link):
    """The side of a pseudo-terminal that is not gpsd's."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    # gpsd opens it when it is no longer root.
    os.chmod(os.ttyname(slave), 0o666)
    if os.path.lexists(link):
        os.unlink(link)
    os.symlink(os.ttyname(slave), link)
    os.set_blocking(master, False)
    return master


def pipe(path):
    """A named pipe, whose buffer holds little more than the output of a second."""
    # gpsd opens nothing that another process has open under the same name.
    other = f"{path}.receiver"
    for each in (path, other):
        if os.path.lexists(each):
            os.unlink(each)
    os.mkfifo(other)
    os.chmod(other, 0o666)
    os.link(other, path)
    descriptor = os.open(other, os.O_RDWR | os.O_NONBLOCK)
    fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, 4096)
    return descriptor


def main():
    recording, link, *kind = sys.argv[1:]
    there = epochs(recording)
    route = there + there[-2:0:-1]
    master = pipe(link) if kind == ["--pipe"] else terminal(link)
    number = int(time.time() * RATE) + 1
    while True:
        time.sleep(max(0, number / RATE - time.time()))
        # gpsd's queries to the receiver: a recording does not reply.
        if not kind and select.select([master], [], [], 0)[0]:
            os.read(master, 4096)
        timestamp = datetime.datetime.fromtimestamp(number / RATE, datetime.timezone.utc)
        try:
            os.write(master, b"".join(sentence(fields, timestamp) for fields in route[number % len(route)]))
        except BlockingIOError:
            pass  # Without a reader the data are lost, as on a serial line.
        number += 1


main()
