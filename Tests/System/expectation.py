"""Expectations of checks, and the messages when they fail."""

import subprocess
import time


class Failure(Exception):
    """The expected and the observed state, for a person."""

    def __init__(self, expected, seen):
        super().__init__(f"expected: {expected}\n   seen: {seen}")


def expect(condition, expected, seen):
    if not condition:
        raise Failure(expected, seen)


def eventually(what, condition, seconds=20, or_show=None):
    """Polls a condition that offers no event to wait for: returns the condition's first true result."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            result = condition()
        except (OSError, subprocess.TimeoutExpired) as error:
            result, seen = None, error
        else:
            seen = result
        if result:
            return result
        if time.monotonic() > deadline:
            raise Failure(f"{what}, within {seconds} s", or_show() if or_show else repr(seen))
        time.sleep(0.01)
