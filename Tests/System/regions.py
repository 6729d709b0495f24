"""Regions of a person at the terminal and of an app, over everything that restarts the service."""

import json

from check import check
from expectation import eventually, expect
from package import repack, version_of


def monitors(scene):
    """The monitors by their names."""
    listed = [json.loads(line) for line in scene.machine.ask("waymark", "regions", "list", "--json").splitlines()]
    return {each["name"]: each for each in listed}


def events(scene, name, count):
    """So many events of a monitor that are not acknowledged, in order."""
    lines = scene.machine.ask("waymark", "regions", "watch", name, "--count", str(count), "--json", patience=60)
    return [json.loads(line)["event"] for line in lines.splitlines()]


def upgrade(scene):
    package = repack(scene.package, version_of(scene.package) + "+regions1", scene.machine.scratch)
    scene.machine.take(package, "waymark-regions.deb")
    scene.machine.run("apt-get", "install", "--yes", "--no-install-recommends", "/exchange/waymark-regions.deb",
                      patience=120)


@check("regions and events that were not acknowledged are preserved over a restart, a crash, an upgrade and a reboot")
def survives(scene):
    machine = scene.machine
    scene.wait_until_ready()
    place = json.loads(machine.ask("waymark", "get", "--json", "--timeout", "30"))
    here = f"{place['latitude']:.6f},{place['longitude']:.6f}"
    machine.run("waymark", "regions", "add", "country", "--circle", f"{here},400000")
    machine.run("waymark", "regions", "add", "corner", "--circle", f"{here},40")
    eventually("both states are decided", lambda: all(each["last"] > 0 for each in monitors(scene).values()), 60,
               or_show=lambda: monitors(scene))
    first = events(scene, "country", 1)[0]
    expect(first["kind"] == "determined" and first["state"] == "inside", "inside at the beginning", first)
    steps = {
        "restart": scene.restart,
        "crash": lambda: scene.kill("SIGKILL"),
        "upgrade": lambda: upgrade(scene),
        "reboot": machine.reboot,
    }
    for name, step in steps.items():
        before, process = monitors(scene), scene.process()
        step()
        scene.wait_until_ready(other_than=None if name == "reboot" else process)
        after = eventually(f"the monitors are listed after the {name}",
                           lambda: len(monitors(scene)) == len(before) and monitors(scene))
        for monitor, old in before.items():
            new = after[monitor]
            expect(new["regions"] == old["regions"] and new["last"] >= old["last"] and new["acknowledged"] == 0,
                   f"the regions and events of {monitor} after the {name}: {old}", new)
        eventually(f"they are monitored again after the {name}",
                   lambda: all(each["state"] == "monitoring" for each in monitors(scene).values()), 60,
                   or_show=lambda: monitors(scene))
    found = monitors(scene)
    for name, each in found.items():
        numbers = [event["sequence"] for event in events(scene, name, each["last"])]
        expect(numbers == list(range(1, each["last"] + 1)), f"each event of {name} once, in order", numbers)
    machine.run("waymark", "regions", "acknowledge", "country", str(found["country"]["last"]))
    expect(monitors(scene)["country"]["pending"] == 0, "nothing pending", monitors(scene))
    machine.run("waymark", "regions", "remove", "--all", "--yes")
    expect(not monitors(scene), "no monitor", monitors(scene))
    return ", ".join(f"{each['last']} events of {name}" for name, each in sorted(found.items()))
