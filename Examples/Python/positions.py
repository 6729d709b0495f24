#!/usr/bin/env python3
"""Prints positions and the state of the network as they change, with libwaymark and nothing but Python's ctypes.

    positions.py [NUMBER]     ends after this number of positions

The structures are those of waymark.h. Only the members that are used have to be declared: later releases of the library
add members at the end only.
"""

import ctypes
import math
import select
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int32, c_uint64, c_void_p

ENDED, INTERRUPTED, RESUMED, POSITION, AUTHORIZATION = 1, 2, 3, 4, 5
PATH = 10
ACTIVE = 0


class Position(ctypes.Structure):
    _fields_ = [(name, c_double) for name in (
        "timestamp", "latitude", "longitude", "horizontal_accuracy", "altitude", "ellipsoidal_altitude",
        "vertical_accuracy", "speed", "speed_accuracy", "course", "course_accuracy", "climb")]


class Update(ctypes.Structure):
    _fields_ = [("authorization_status", c_int32), ("accuracy", c_int32), ("diagnostics", c_uint64),
                ("diagnostic_words", POINTER(c_char_p))]


class Path(ctypes.Structure):
    _fields_ = [("status", c_int32), ("reason", c_char_p)]


def load():
    """The library with the types of the functions that are used."""
    library = ctypes.CDLL("libwaymark.so.1")
    for name, result, *arguments in (
            ("client_new", c_int, c_char_p, POINTER(c_void_p)),
            ("client_free", None, c_void_p),
            ("fd", c_int, c_void_p),
            ("timeout", c_int, c_void_p),
            ("process", c_int, c_void_p),
            ("next", c_int, c_void_p, POINTER(c_void_p)),
            ("declare_activity", c_int, c_void_p, c_int, POINTER(c_uint64)),
            ("monitor_positions", c_int, c_void_p, c_void_p, POINTER(c_uint64)),
            ("monitor_path", c_int, c_void_p, POINTER(c_uint64)),
            ("event_type", c_int, c_void_p),
            ("event_call", c_uint64, c_void_p),
            ("event_error", c_int, c_void_p),
            ("event_message", c_char_p, c_void_p),
            ("event_position", POINTER(Position), c_void_p),
            ("event_update", POINTER(Update), c_void_p),
            ("event_path", POINTER(Path), c_void_p),
            ("event_free", None, c_void_p),
            ("error_message", c_char_p, c_int)):
        function = getattr(library, "waymark_" + name)
        function.restype = result
        function.argtypes = arguments
    return library


waymark = load()


def check(result):
    """The result of a function, or its error as an exception."""
    if result < 0:
        raise OSError(-result, waymark.waymark_error_message(result).decode())
    return result


def words(pointer):
    """A list of texts that NULL ends."""
    texts = []
    while pointer[len(texts)] is not None:
        texts.append(pointer[len(texts)].decode())
    return texts


class Client:
    """A client of the daemon; `events()` is a generator of (call, type, event)."""

    def __init__(self):
        self.pointer = c_void_p()
        check(waymark.waymark_client_new(None, byref(self.pointer)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        waymark.waymark_client_free(self.pointer)

    def begin(self, function, *arguments):
        """Begins a call and returns its number."""
        call = c_uint64()
        check(function(self.pointer, *arguments, byref(call)))
        return call.value

    def events(self):
        poll = select.poll()
        poll.register(waymark.waymark_fd(self.pointer), select.POLLIN)
        while True:
            timeout = waymark.waymark_timeout(self.pointer)
            poll.poll(None if timeout == -1 else check(timeout))
            check(waymark.waymark_process(self.pointer))
            event = c_void_p()
            while check(waymark.waymark_next(self.pointer, byref(event))):
                try:
                    yield waymark.waymark_event_call(event), waymark.waymark_event_type(event), event
                finally:
                    waymark.waymark_event_free(event)


def main(wanted):
    with Client() as client:
        client.begin(waymark.waymark_declare_activity, ACTIVE)
        positions = client.begin(waymark.waymark_monitor_positions, None)
        path = client.begin(waymark.waymark_monitor_path)
        for call, kind, event in client.events():
            if kind in (ENDED, INTERRUPTED) and call in (positions, path):
                print(waymark.waymark_event_message(event).decode(), file=sys.stderr)
                if kind == ENDED:
                    return 1
            elif kind == PATH:
                reason = waymark.waymark_event_path(event).contents.reason
                print("network:", reason.decode() if reason else "available", flush=True)
            elif kind == POSITION:
                position = waymark.waymark_event_position(event)
                if not position:
                    update = waymark.waymark_event_update(event).contents
                    print("no position:", *words(update.diagnostic_words), flush=True)
                    continue
                place = position.contents
                speed = "" if math.isnan(place.speed) else f", {place.speed:.1f} m/s"
                print(f"{place.latitude:.6f} {place.longitude:.6f}{speed}", flush=True)
                wanted -= 1
                if wanted == 0:
                    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else -1))
