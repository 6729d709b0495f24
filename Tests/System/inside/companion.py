"""The connection between a program in the machine and the check outside: a line on the program's input requests a report of
its observations so far, the end of its input the last one."""

import json
import os
import selectors
import sys
import time


class Companion:
    """Runs callbacks when descriptors are readable and at given times, and reports on request."""

    def __init__(self, account):
        self.account = account
        self.selector = selectors.DefaultSelector()
        self.timers = []
        os.set_blocking(sys.stdin.fileno(), False)
        self.selector.register(sys.stdin, selectors.EVENT_READ, self.asked)
        self.is_over = False

    def asked(self):
        line = os.read(sys.stdin.fileno(), 4096)
        if not line:
            self.is_over = True
        try:
            print(json.dumps(self.account()), flush=True)
        except BrokenPipeError:
            os._exit(0)  # Nobody wants to know any more.

    def watch(self, descriptor, callback):
        self.selector.register(descriptor, selectors.EVENT_READ, callback)

    def forget(self, descriptor):
        self.selector.unregister(descriptor)

    def after(self, seconds, callback):
        self.timers.append((time.monotonic() + seconds, callback))

    def run(self):
        while not self.is_over:
            next_time = min((instant for instant, _ in self.timers), default=None)
            patience = None if next_time is None else max(0, next_time - time.monotonic())
            for key, _ in self.selector.select(patience):
                key.data()
            now = time.monotonic()
            due = [callback for instant, callback in self.timers if instant <= now]
            self.timers = [each for each in self.timers if each[0] > now]
            for callback in due:
                callback()
