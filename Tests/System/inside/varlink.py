"""Calls over waymarkd's socket, without waiting."""

import json
import socket

SOCKET = "/run/waymark/waymark.sock"


class Connection:
    """One connection: calls are written immediately, replies are read when the socket is readable."""

    def __init__(self, path=SOCKET):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.buffer = b""

    def fileno(self):
        return self.socket.fileno()

    def call(self, method, parameters=None, more=False):
        message = {"method": method, "parameters": parameters or {}}
        if more:
            message["more"] = True
        self.socket.sendall(json.dumps(message).encode() + b"\0")

    def replies(self):
        """The replies that have come; None where the daemon has closed the connection."""
        try:
            chunk = self.socket.recv(1 << 16)
        except ConnectionError:
            chunk = b""
        if not chunk:
            return None
        *messages, self.buffer = (self.buffer + chunk).split(b"\0")
        return [json.loads(message) for message in messages]

    def ask(self, method, parameters=None):
        """One call, and its reply."""
        self.call(method, parameters)
        while True:
            replies = self.replies()
            if replies is None:
                raise ConnectionError("the daemon closed the connection")
            if replies:
                return replies[0]

    def close(self):
        self.socket.close()
