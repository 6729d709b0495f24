"""What a check expects, and what it says where that is not so."""

import subprocess
import time


class Failure(Exception):
    """What was expected, and what was seen instead, for a person."""

    def __init__(self, expected, seen):
        super().__init__(f"expected: {expected}\n   seen: {seen}")


def expect(condition, expected, seen):
    if not condition:
        raise Failure(expected, seen)


def eventually(what, condition, seconds=20, or_show=None):
    """For what gives no event that could be waited for: what the condition returned when it held."""
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
