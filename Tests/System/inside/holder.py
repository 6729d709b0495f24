"""Connects to a socket until a connection is refused, writes how many are served to a file, and holds them.

Usage: holder.py SOCKET FILE
"""

import os
import signal
import sys

from varlink import Connection

# More than one user may have.
MOST = 200

held = []
while len(held) < MOST:
    try:
        connection = Connection(sys.argv[1])
        reply = connection.ask("org.varlink.service.GetInfo")
    except ConnectionError:
        break
    if "error" in reply:
        break
    held.append(connection)
with open(sys.argv[2] + ".new", "w", encoding="utf-8") as file:
    file.write(str(len(held)))
os.rename(sys.argv[2] + ".new", sys.argv[2])
signal.pause()
