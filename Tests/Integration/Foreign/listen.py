"""Reads positions for ever and prints the time of each and how many were left out before it: listen.py SOCKET"""

import json
import socket
import sys

connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
connection.sendall(b'{"method":"io.waymark.Location.Monitor","more":true}\0')
rest = b""
while data := connection.recv(65536):
    *messages, rest = (rest + data).split(b"\0")
    for message in messages:
        update = json.loads(message)["parameters"]["update"]
        if "position" in update:
            print(update["position"]["timestamp"], update["dropped"], flush=True)
