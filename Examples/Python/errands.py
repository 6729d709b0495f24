#!/usr/bin/env python3
"""A service that sleeps: it is started when the network is back, when a host can be reached again, and when another
machine has changed records; it says so at least once, and ends. With libwaymark and nothing but Python's ctypes.

    errands.py [path] [HOST...]    what to be woken for; its manifest names it in [Wake] For=, and containers of records in
                                   Containers=, for which push in For= is enough

Started once with systemctl(1), it requests what it is to be woken for. The structures are those of waymark.h.
"""

import ctypes
import sys
from ctypes import POINTER, byref, c_bool, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint16, c_uint64, c_void_p

ENDED, LAUNCH_REASON, WAKE = 1, 13, 14
CAUSE_PATH, CAUSE_TARGET = 4, 5


class LaunchReason(ctypes.Structure):
    _fields_ = [("is_woken", c_bool), ("cause", c_int32), ("cause_word", c_char_p), ("pending_count", c_size_t)]


class Wake(ctypes.Structure):
    _fields_ = [("sequence", c_int64), ("cause", c_int32), ("cause_word", c_char_p), ("host", c_char_p),
                ("port", c_int32), ("container", c_char_p)]


def load():
    """The library with the types of the functions that are used."""
    library = ctypes.CDLL("libwaymark.so.1")
    for name, result, *arguments in (
            ("client_new", c_int, c_char_p, POINTER(c_void_p)),
            ("client_free", None, c_void_p),
            ("wait", c_int, c_void_p, c_int),
            ("next", c_int, c_void_p, POINTER(c_void_p)),
            ("end", c_int, c_void_p, c_uint64),
            ("get_launch_reason", c_int, c_void_p, POINTER(c_uint64)),
            ("request_wakes", c_int, c_void_p, c_int, c_char_p, c_uint16, POINTER(c_uint64)),
            ("monitor_wakes", c_int, c_void_p, c_int64, POINTER(c_uint64)),
            ("acknowledge_wakes", c_int, c_void_p, c_int64, POINTER(c_uint64)),
            ("event_type", c_int, c_void_p),
            ("event_error", c_int, c_void_p),
            ("event_message", c_char_p, c_void_p),
            ("event_launch_reason", POINTER(LaunchReason), c_void_p),
            ("event_wake", POINTER(Wake), c_void_p),
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


def text(pointer):
    return pointer.decode() if pointer else None


class Client:
    """A client of the daemon, for one call at a time."""

    def __init__(self):
        self.pointer = c_void_p()
        check(waymark.waymark_client_new(None, byref(self.pointer)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        waymark.waymark_client_free(self.pointer)

    def call(self, function, *arguments, wanted=ENDED, read=lambda event: None):
        """Makes a call, waits for its first event of a type, ends it, and returns what a function reads of the event."""
        call = c_uint64()
        check(function(self.pointer, *arguments, byref(call)))
        while True:
            check(waymark.waymark_wait(self.pointer, -1))
            event = c_void_p()
            check(waymark.waymark_next(self.pointer, byref(event)))
            try:
                kind = waymark.waymark_event_type(event)
                if kind == ENDED and waymark.waymark_event_error(event) < 0:
                    sys.exit(waymark.waymark_event_message(event).decode())
                if kind == wanted:
                    result = read(event)
                    break
            finally:
                waymark.waymark_event_free(event)
        if wanted != ENDED:
            check(waymark.waymark_end(self.pointer, call))
        return result

    def launch_reason(self):
        """Whether the program was woken, for which word, and whether events are pending."""

        def read(event):
            reason = waymark.waymark_event_launch_reason(event).contents
            return reason.is_woken, text(reason.cause_word), reason.pending_count > 0

        return self.call(waymark.waymark_get_launch_reason, wanted=LAUNCH_REASON, read=read)

    def first_wake(self):
        """The first event that is not acknowledged: its number, its word, and what it is about."""

        def read(event):
            wake = waymark.waymark_event_wake(event).contents
            return wake.sequence, text(wake.cause_word), text(wake.container) or text(wake.host)

        return self.call(waymark.waymark_monitor_wakes, -1, wanted=WAKE, read=read)


def main(requests):
    with Client() as client:
        is_woken, cause, is_pending = client.launch_reason()
        print("launch", cause or "own", flush=True)
        if not is_woken:
            for request in requests:
                known, host = (CAUSE_PATH, None) if request == "path" else (CAUSE_TARGET, request.encode())
                client.call(waymark.waymark_request_wakes, known, host, 0)
        while is_pending:
            number, cause, subject = client.first_wake()
            print("event", number, cause, *([subject] if subject else []), flush=True)
            # Until it is acknowledged, the event is reported again, and wakes the program again.
            client.call(waymark.waymark_acknowledge_wakes, number)
            is_pending = client.launch_reason()[2]
        # What happens from now on starts the program again.


if __name__ == "__main__":
    main(sys.argv[1:])
