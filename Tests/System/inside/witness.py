"""The reports of gpsd, as received by any client: the times of the positions, in order."""

import datetime
import json
import socket

from companion import Companion


class Witness:
    def __init__(self):
        self.companion = Companion(lambda: {"times": self.times})
        self.times = []
        self.buffer = b""
        self.socket = socket.create_connection(("127.0.0.1", 2947))
        self.socket.sendall(b'?WATCH={"enable":true,"json":true};\n')
        self.companion.watch(self.socket, self.hear)

    def hear(self):
        chunk = self.socket.recv(1 << 16)
        if not chunk:
            raise ConnectionError("gpsd ended")
        *lines, self.buffer = (self.buffer + chunk).split(b"\n")
        for line in lines:
            report = json.loads(line)
            if report["class"] == "TPV" and report.get("mode", 0) >= 2:
                timestamp = datetime.datetime.fromisoformat(report["time"].replace("Z", "+00:00"))
                self.times.append(round(timestamp.timestamp(), 3))


Witness().companion.run()
