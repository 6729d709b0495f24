"""The simulated receiver of the package, in place of gpsd."""

import json
import time

from check import check
from expectation import eventually, expect

SIMULATED = "waymark-simulated-receiver.socket"
REAL = "waymark-gpsd.socket"


def position(scene):
    """One position as an operator gets it; nil where there is none in time."""
    said = scene.machine.run("waymark", "get", "--json", "--timeout", "20", check=False)
    return json.loads(said.stdout) if said.returncode == 0 else None


def arrives(scene, simulated):
    """Waits for a position that is simulated, or that is not, and returns the seconds until then."""
    began = time.monotonic()
    eventually(
        f"a position that is {'' if simulated else 'not '}simulated",
        lambda: (position(scene) or {}).get("isSimulated") is simulated, 90,
        or_show=lambda: scene.machine.ask(
            "journalctl", "--unit=waymark", "--unit=waymark-simulated-receiver", "--lines=30", "--no-pager",
            check=False))
    return time.monotonic() - began


def states(scene):
    return tuple(scene.property("ActiveState", unit) for unit in (SIMULATED, REAL))


@check("a simulated receiver replaces gpsd and is taken back, and no position lacks its mark")
def replaces(scene):
    scene.wait_until_ready()
    arrives(scene, False)
    scene.machine.run("systemctl", "start", SIMULATED)
    expect(states(scene) == ("active", "inactive"), "one of the two sockets", states(scene))
    there = arrives(scene, True)
    many = [position(scene) for _ in range(5)]
    expect(all(one and one["isSimulated"] for one in many), "each position is marked", many)
    scene.machine.run("systemctl", "start", REAL)
    expect(states(scene) == ("inactive", "active"), "the other one of the two sockets", states(scene))
    expect(scene.property("ActiveState", "waymark-simulated-receiver.service") == "inactive",
           "the simulated receiver has ended", "it runs")
    back = arrives(scene, False)
    return f"simulated after {there:.1f} s, real again after {back:.1f} s"


@check("a restart of the daemon takes the simulated receiver back, and nothing of it is enabled")
def is_taken_back(scene):
    scene.wait_until_ready()
    scene.machine.run("systemctl", "start", SIMULATED)
    arrives(scene, True)
    scene.restart()
    scene.wait_until_ready()
    expect(states(scene) == ("inactive", "active"), "the machine's gpsd again", states(scene))
    arrives(scene, False)
    enabled = scene.machine.ask("systemctl", "is-enabled", SIMULATED, check=False).strip()
    expect(enabled == "static", "nothing can enable it", enabled)
    return "systemctl restart waymark.service"
