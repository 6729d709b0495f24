"""Streaming clients, one connection each, which reconnect when they have lost their connection. They report how often that
happened, and which replies they got.

    streams.py COUNT METHOD [PARAMETERS]
"""

import json
import sys
import time
from collections import Counter

from companion import Companion
from varlink import Connection

AGAIN = 0.05


class Stream:
    """One client and its account."""

    def __init__(self, companion, method, parameters):
        self.companion = companion
        self.method, self.parameters = method, parameters
        self.connection = None
        self.connections = self.ends = self.refusals = self.replies = 0
        self.positions = self.repeats = self.dropped = 0
        self.newest = self.heard = None
        self.longest_silence = 0
        self.errors = Counter()
        self.connect()

    def connect(self):
        try:
            self.connection = Connection()
        except OSError:
            self.refusals += 1
            self.companion.after(AGAIN, self.connect)
            return
        self.connections += 1
        self.companion.watch(self.connection, self.hear)
        self.ask()

    def ask(self):
        try:
            self.connection.call(self.method, self.parameters, more=True)
        except OSError:
            pass  # Its end is read.

    def hear(self):
        replies = self.connection.replies()
        if replies is None:
            self.ends += 1
            self.companion.forget(self.connection)
            self.connection.close()
            self.connection = None
            self.companion.after(AGAIN, self.connect)
            return
        for reply in replies:
            self.take(reply)

    def take(self, reply):
        self.replies += 1
        if "error" in reply:
            self.errors[reply["error"]] += 1
            asking = self.connection
            self.companion.after(10 * AGAIN, lambda: self.ask() if self.connection is asking else None)
            return
        update = reply["parameters"].get("update", {})
        self.dropped += update.get("dropped", 0)
        if "position" not in update:
            return
        now = time.monotonic()
        timestamp = update["position"]["timestamp"]
        self.positions += 1
        if self.newest is not None and timestamp <= self.newest:
            self.repeats += 1
        if self.heard is not None:
            self.longest_silence = max(self.longest_silence, now - self.heard)
        self.newest, self.heard = timestamp, now


class Streams:
    def __init__(self, count, method, parameters):
        self.companion = Companion(self.account)
        self.streams = [Stream(self.companion, method, parameters) for _ in range(count)]

    def account(self):
        now = time.monotonic()
        errors = Counter()
        for each in self.streams:
            errors += each.errors
        silences = [now - each.heard for each in self.streams if each.heard is not None]
        total = lambda name: sum(getattr(each, name) for each in self.streams)
        return {
            "connected": sum(each.connection is not None for each in self.streams), "errors": errors,
            **{name: total(name) for name in (
                "connections", "ends", "refusals", "replies", "positions", "repeats", "dropped")},
            "fewest": min(each.positions for each in self.streams),
            "longest_silence": max(each.longest_silence for each in self.streams),
            "silence": max(silences, default=None)}


Streams(int(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}).companion.run()
