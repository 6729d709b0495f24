"""An app that sleeps: it is started when something happens, reads and acknowledges the events, writes what it saw into a
file, and ends. Its arguments: the file, and what it does, see `ACTS`."""

import json
import os
import random
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from varlink import Connection  # noqa: E402 pylint: disable=wrong-import-position

ACTS = ("read", "linger", "crash", "silent", "fragile")


class Log:
    """One object a line, each durable before the next call."""

    def __init__(self, path):
        self.file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def say(self, **what):
        os.write(self.file, json.dumps({"time": time.time(), "process": os.getpid(), **what}).encode() + b"\n")
        os.fsync(self.file)


def connect():
    """A daemon that is being restarted is waited for."""
    while True:
        try:
            return Connection()
        except OSError:
            time.sleep(0.05)


def ask(method, parameters=None):
    """A call that is repeated when the daemon ends meanwhile."""
    while True:
        connection = connect()
        try:
            return connection.ask(method, parameters)
        except ConnectionError:
            time.sleep(0.05)
        finally:
            connection.close()


def read(reason, log, is_fragile):
    """Reads the pending events of a reason, notes each that was not noted before, and acknowledges them."""
    monitor = reason.get("monitor")
    interface, more = ("Regions", {"monitor": monitor}) if monitor else ("Waking", {})
    name = monitor or "app"
    known = seen(log.path, name)
    connection = connect()
    connection.call(f"io.waymark.{interface}.Monitor", more, more=True)
    connection.socket.settimeout(0.3)
    last = None
    try:
        while True:
            replies = connection.replies()
            if replies is None:
                break
            for reply in replies:
                if "error" in reply:
                    log.say(error=reply["error"])
                    return
                event = reply["parameters"]["event"]
                if event["sequence"] not in known:
                    log.say(monitor=name, sequence=event["sequence"], kind=event.get("kind") or event["cause"])
                    known.add(event["sequence"])
                last = event["sequence"]
                if is_fragile and random.random() < 0.1:
                    os.kill(os.getpid(), signal.SIGKILL)
    except TimeoutError:
        pass
    finally:
        connection.close()
    if last is not None:
        ask(f"io.waymark.{interface}.Acknowledge", {**more, "upTo": last})


def seen(path, name):
    """The numbers that an earlier process of this app has noted."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file if line.endswith("\n")]
    return {line["sequence"] for line in lines if line.get("monitor") == name}


def main():
    path, act = sys.argv[1:3]
    log = Log(path)
    log.path = path
    if act == "silent":
        log.say(started=True)
        time.sleep(600)
    reply = ask("io.waymark.Waking.GetLaunchReason")
    reasons = reply.get("parameters", {})
    log.say(launch=reasons.get("launch"), cause=reasons.get("cause"), reasons=reasons.get("reasons"),
            isAfterForcedQuit=reasons.get("isAfterForcedQuit", False), error=reply.get("error"))
    if act == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    for subscription in sys.argv[3:]:
        cause, _, host = subscription.partition("=")
        if cause == "region":
            # Adding it again would have its state decided again, which is an event.
            if reasons.get("launch") == "woken":
                continue
            latitude, longitude, radius = map(float, host.split(","))
            circle = {"latitude": latitude, "longitude": longitude, "radius": radius}
            reply = ask("io.waymark.Regions.Add",
                        {"monitor": "m", "regions": [{"identifier": "country", "circle": circle}]})
            log.say(added=True, error=reply.get("error"))
            continue
        reply = ask("io.waymark.Waking.Subscribe", {"cause": cause, **({"host": host} if host else {})})
        log.say(subscribed=cause, error=reply.get("error"))
    while True:
        for reason in ask("io.waymark.Waking.GetLaunchReason").get("parameters", {}).get("reasons", []):
            read(reason, log, act == "fragile")
        if act != "linger":
            break
        time.sleep(0.1)


main()
