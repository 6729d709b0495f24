"""A receiver on a pseudo-terminal that says what a recording of ten positions a second says, there and back again for
ever, each at the present time.

    receiver.py RECORDING LINK
"""

import datetime
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
    """The recording's lines, those of one moment together."""
    found = []
    with open(path, encoding="ascii") as file:
        for line in file:
            if line.startswith("$GPRMC"):
                found.append([])
            if line.startswith("$"):
                found[-1].append(line.strip()[1:].partition("*")[0].split(","))
    return found


def sentence(fields, moment):
    """One sentence with another time; NMEA 0183."""
    fields = list(fields)
    if fields[0] in ("GPRMC", "GPGGA", "GPGST"):
        fields[1] = moment.strftime("%H%M%S.") + f"{moment.microsecond // 10_000:02}"
    if fields[0] == "GPRMC":
        fields[9] = moment.strftime("%d%m%y")
    body = ",".join(fields)
    return f"${body}*{functools.reduce(operator.xor, body.encode()):02X}\r\n".encode()


def main():
    recording, link = sys.argv[1:]
    there = epochs(recording)
    way = there + there[-2:0:-1]
    master, slave = pty.openpty()
    tty.setraw(slave)
    # gpsd opens it when it is no longer root.
    os.chmod(os.ttyname(slave), 0o666)
    if os.path.lexists(link):
        os.unlink(link)
    os.symlink(os.ttyname(slave), link)
    os.set_blocking(master, False)
    number = int(time.time() * RATE) + 1
    while True:
        time.sleep(max(0, number / RATE - time.time()))
        # What gpsd asks the receiver: a recording does not answer.
        if select.select([master], [], [], 0)[0]:
            os.read(master, 4096)
        moment = datetime.datetime.fromtimestamp(number / RATE, datetime.timezone.utc)
        try:
            os.write(master, b"".join(sentence(fields, moment) for fields in way[number % len(way)]))
        except BlockingIOError:
            pass  # Nobody listens, and what a serial line cannot carry is lost.
        number += 1


main()
