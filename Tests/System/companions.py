"""The check's connection to a program that runs in the machine and reports its observations."""

import json
import os
import select
import signal

from expectation import Failure

PATIENCE = 30


class Companion:
    def __init__(self, process):
        self.process = process

    def account(self):
        """Its observations so far."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.read()

    def finish(self):
        """Ends it; returns its observations."""
        self.process.stdin.close()
        last = self.read()
        self.process.wait(PATIENCE)
        self.process.stdout.close()
        return last

    def read(self):
        if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
            raise Failure("a program in the machine replies", f"nothing for {PATIENCE} s")
        line = self.process.stdout.readline()
        if not line:
            raise Failure("a program in the machine replies", f"it ended with {self.process.wait(PATIENCE)}")
        return json.loads(line)

    def abandon(self):
        """Ends it without an account, where it still runs."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                pipe.close()
            except BrokenPipeError:
                pass
