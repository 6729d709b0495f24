"""What sleeping apps cost, and how fast they are woken: figures."""

import json
import math
import os
import statistics
import time

from check import check
from expectation import eventually, expect
from machine import TOOLS
from scene import FIXTURE
from waking import MANIFEST, SETTINGS

COUNT = 1_000
# How long the daemon is observed while nothing happens.
SECONDS = 60
UNIT = """\
[Unit]
Description=An app at a border
StartLimitIntervalSec=0

[Service]
ExecStart=/bin/sh {record}.sh
"""
# Its first line is written by the first program of the service, as a compiled app would write it.
SCRIPT = """\
date '+{{"first": %s.%N}}' >>{record}
exec /usr/bin/python3 -B {tools}/inside/border.py {record} {kind}
"""


class Cost:
    """Memory that a process does not share, and how often its threads were run."""

    def __init__(self, scene, unit):
        process = scene.property("MainPID", unit)
        machine = scene.machine
        memory = machine.ask("cat", f"/proc/{process}/smaps_rollup")
        self.kibibytes = sum(int(line.split()[1]) for line in memory.splitlines() if line.startswith("Private_"))
        # A thread may end while this is read.
        states = machine.ask("sh", "-c", f"cat /proc/{process}/task/*/status", check=False)
        self.switches = sum(int(line.split()[1]) for line in states.splitlines() if "ctxt_switches" in line)


def idle(scene):
    """For daemon and waker: memory, and how often each was run while nothing happened."""
    units = ("waymark.service", "waymark-waker.service")
    before = [Cost(scene, unit) for unit in units]
    time.sleep(SECONDS)
    after = [Cost(scene, unit) for unit in units]
    return [(each.kibibytes, each.switches - former.switches) for former, each in zip(before, after)]


def is_quiet(scene):
    """Whether neither was run for three seconds, more than the watchdog needs."""
    units = ("waymark.service", "waymark-waker.service")
    before = [Cost(scene, unit).switches for unit in units]
    time.sleep(3)
    return all(Cost(scene, unit).switches - former < 5 for unit, former in zip(units, before))


@check("a thousand sleeping apps do not wake the daemon", is_long=True)
def naps(scene):
    machine = scene.machine
    machine.write("/etc/waymark/waymark.conf.d/waking.conf", SETTINGS)
    scene.wait_until_ready()
    machine.run("systemctl", "restart", "waymark.service", "waymark-waker.service")
    scene.wait_until_ready()
    before = idle(scene)
    machine.run("/usr/bin/python3", "-B", f"{TOOLS}/inside/naps.py", str(COUNT), patience=300)
    shown = [json.loads(line) for line in machine.ask("waymark", "apps", "--json").splitlines()]
    naps_shown = [each for each in shown if each["id"].startswith("nap-")]
    expect(len(naps_shown) == COUNT and all("obstacle" not in each["waking"] for each in naps_shown),
           "all can be woken", naps_shown[:2])
    # Without what the calls have left behind.
    scene.restart()
    machine.run("systemctl", "restart", "waymark-waker.service")
    scene.wait_until_ready()
    eventually("the services of all apps are watched", lambda: is_quiet(scene), 60)
    after = idle(scene)
    for (_, rest), (_, busy) in zip(before, after):
        expect(busy <= rest + 10, f"as often run as before, in {SECONDS} s", (before, after))
    machine.run("sh", "-c", "rm /etc/waymark/apps/nap-*.app /etc/systemd/system/nap-*.service")
    machine.run("systemctl", "daemon-reload")
    figures = []
    for name, (empty, rest), (full, busy) in zip(("waymarkd", "waymark-waker"), before, after):
        figures.append(f"{name} run {busy} times in {SECONDS} s (without apps {rest}), {full} KiB of its own"
                       f" (without apps {empty}), {(full - empty) / COUNT:.2f} KiB an app")
    return "; ".join(figures)


def circles():
    """Circles of 42 m around places on the receiver's path, one each 8 m: its accuracy of 15 m has to be passed."""
    found, distance, last = [], 0.0, None
    with open(FIXTURE, encoding="ascii") as recording:
        for line in recording:
            fields = line.split(",")
            if fields[0] != "$GPRMC":
                continue
            latitude = int(fields[3][:2]) + float(fields[3][2:]) / 60
            longitude = int(fields[5][:3]) + float(fields[5][3:]) / 60
            place = (latitude if fields[4] == "N" else -latitude, longitude if fields[6] == "E" else -longitude)
            if last:
                distance += math.hypot((place[0] - last[0]) * 111_195,
                                       (place[1] - last[1]) * 111_195 * math.cos(math.radians(place[0])))
            last = place
            if distance >= 8 * (len(found) + 1):
                circle = {"latitude": place[0], "longitude": place[1], "radius": 42}
                found.append({"identifier": f"c{len(found)}", "circle": circle})
    return found


def records(machine, app):
    return [json.loads(line) for line in machine.ask("cat", f"/var/tmp/{app}.log").splitlines()]


def of_woken(notes, since):
    """Milliseconds from an event to the first line of the process that was started for it."""
    found, first = [], None
    for note in notes:
        if "first" in note:
            first = note["first"]
        elif first and note["time"] < first:
            # The first event of this process: later ones did not start it.
            found.append((first - note[since]) * 1_000)
            first = None
    return found


def described(values):
    values = sorted(values)
    return f"{statistics.median(values):.0f} ms, 99 % {values[math.ceil(len(values) * 0.99) - 1]:.0f} ms"


@check("an app is woken at a border about as fast as one that waits connected", is_long=True)
def borders(scene):
    machine = scene.machine
    wanted = int(os.environ.get("WAYMARK_BORDERS", "200"))
    machine.write("/etc/waymark/waymark.conf.d/waking.conf", SETTINGS)
    scene.wait_until_ready()
    machine.run("systemctl", "reload", "waymark.service")
    for app, kind in (("woken", "woken"), ("waiting", "connected")):
        record = f"/var/tmp/{app}.log"
        machine.write(record, "")
        machine.write(f"{record}.regions", json.dumps(circles()))
        machine.write(f"/usr/local/lib/systemd/system/{app}.service",
                      UNIT.format(record=record))
        machine.write(f"{record}.sh", SCRIPT.format(record=record, tools=TOOLS, kind=kind))
        machine.write(f"/etc/waymark/apps/{app}.app",
                      MANIFEST.format(app=app, identity="Unit", unit=f"{app}.service"))
        machine.run("systemctl", "daemon-reload")
        eventually("the app is known", lambda app=app: f'"{app}"' in machine.ask("waymark", "apps", "--json"))
        machine.run("waymark", "authorize", app, "always")
        machine.run("systemctl", "start", f"{app}.service")
    eventually(f"{wanted} wakes", lambda: len(of_woken(records(machine, "woken"), "time")) >= wanted, 900,
               or_show=lambda: (records(machine, "woken")[-4:], machine.ask("waymark", "apps", "woken")))
    woken, waiting = records(machine, "woken"), records(machine, "waiting")
    machine.run("systemctl", "stop", "woken.service", "waiting.service")
    for notes in (woken, waiting):
        numbers = [note["sequence"] for note in notes if "sequence" in note]
        expect(numbers == list(range(1, len(numbers) + 1)), "each event once, in order", numbers[-20:])
    crossings = [note for note in woken if "crossed" in note and note["crossed"] is not None]
    expect(len(crossings) > wanted / 2, "borders that were crossed", woken[-3:])
    after = {
        "woken": of_woken(woken, "time"),
        "waiting": [(note["at"] - note["time"]) * 1_000 for note in waiting if "time" in note],
    }
    ahead = statistics.median((note["time"] - note["crossed"]) * 1_000 for note in crossings)
    return (f"{len(after['woken'])} wakes: from the fix beyond the border to the first line of the woken app"
            f" {described(after['woken'])}, to an app that waits connected {described(after['waiting'])};"
            f" the fix comes {ahead:.0f} ms after the border (median)")
