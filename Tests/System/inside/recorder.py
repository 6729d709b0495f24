"""An app that records and reads its recording, acknowledging some positions, and reconnects when it has lost its
connection. It reports the numbers and times of all read positions.

    recorder.py IDENTIFIER
"""

import sys
import time
from collections import Counter

from companion import Companion
from varlink import Connection

AGAIN = 0.05
# It acknowledges up to this number of positions before the last read one: the others have to exist after a crash.
BEHIND = 50


class Recorder:
    def __init__(self, identifier):
        self.identifier = identifier
        self.companion = Companion(self.account)
        self.read = []
        self.recordings = set()
        self.ends = []
        self.errors = Counter()
        self.reader = self.acknowledger = None
        self.is_reading = False
        self.connect()

    def account(self):
        return {"read": self.read, "recordings": sorted(self.recordings), "ends": self.ends, "errors": self.errors}

    def connect(self):
        try:
            self.reader, self.acknowledger = Connection(), Connection()
            self.acknowledger.call("io.waymark.Recording.Start", {"identifier": self.identifier})
        except OSError:
            for connection in (self.reader, self.acknowledger):
                if connection is not None:
                    connection.close()
            self.reader = self.acknowledger = None
            self.companion.after(AGAIN, self.connect)
            return
        self.is_reading = False
        self.companion.watch(self.reader, self.hear)
        self.companion.watch(self.acknowledger, self.hear_acknowledgement)

    def start_reading(self):
        self.is_reading = True
        try:
            self.reader.call(
                "io.waymark.Recording.Read",
                {"identifier": self.identifier, "after": self.read[-1][0] if self.read else 0, "wait": True}, more=True)
        except OSError:
            pass  # Its end is read.

    def lose(self):
        """Starts again, with other connections."""
        for connection in (self.reader, self.acknowledger):
            self.companion.forget(connection)
            connection.close()
        self.reader = self.acknowledger = None
        self.companion.after(AGAIN, self.connect)

    def hear(self):
        if self.reader is None:
            return  # Both were lost at once.
        replies = self.reader.replies()
        if replies is None:
            self.ends.append((time.time(), "reader"))
            self.lose()
            return
        for reply in replies:
            if "error" in reply:
                self.errors[reply["error"]] += 1
                self.lose()
                return
            self.take(reply["parameters"])

    def take(self, parameters):
        self.recordings.add(parameters["id"])
        for point in parameters["points"]:
            self.read.append((point["sequence"], round(point["position"]["timestamp"], 3)))
        if len(self.read) > BEHIND and len(self.read) % 7 == 0:
            try:
                self.acknowledger.call(
                    "io.waymark.Recording.Acknowledge",
                    {"identifier": self.identifier, "upTo": self.read[-BEHIND][0]})
            except OSError:
                pass  # Its end is read.

    def hear_acknowledgement(self):
        if self.reader is None:
            return
        replies = self.acknowledger.replies()
        if replies is None:
            self.ends.append((time.time(), "acknowledger" if self.is_reading else "starter"))
            self.lose()
            return
        self.errors.update(reply["error"] for reply in replies if "error" in reply)
        if replies and not self.is_reading:
            self.start_reading()


Recorder(sys.argv[1]).companion.run()
