"""An app at the borders of regions: it writes each event with the time, as a JSON object in a line, and acknowledges it.

    border.py RECORD woken       is started for the events that are pending, and ends
    border.py RECORD connected   waits for events on its connection

At its first start it adds the regions of the file RECORD.regions."""

import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from varlink import Connection  # noqa: E402 pylint: disable=wrong-import-position


def ask(method, parameters=None):
    connection = Connection()
    reply = connection.ask(method, parameters)
    connection.close()
    return reply.get("parameters", {})


def events():
    """The events of the monitor, with the time at which each was received."""
    connection = Connection()
    connection.call("io.waymark.Regions.Monitor", {"monitor": "m"}, more=True)
    while True:
        replies = connection.replies()
        if replies is None:
            return
        for reply in replies:
            if "error" in reply:
                sys.exit(f"{reply}")
            yield time.time(), reply["parameters"]["event"]


def handle(at, event, record):
    record.write(json.dumps({"at": at, "sequence": event["sequence"], "time": event["time"],
                             "crossed": event.get("crossed")}) + "\n")
    record.flush()
    ask("io.waymark.Regions.Acknowledge", {"monitor": "m", "upTo": event["sequence"]})


def main():
    path, kind = sys.argv[1:]
    with open(path, "a", encoding="utf-8") as record:
        if ask("io.waymark.Waking.GetLaunchReason").get("launch") != "woken":
            with open(f"{path}.regions", encoding="utf-8") as file:
                ask("io.waymark.Regions.Add", {"monitor": "m", "regions": json.load(file)})
        if kind == "connected":
            for at, event in events():
                handle(at, event, record)
        while ask("io.waymark.Waking.GetLaunchReason").get("reasons"):
            handle(*next(events()), record)


main()
