"""Apps that sleep, and are started or thawed by their service manager when something happens."""

import json
import random
import time

from check import check
from expectation import eventually, expect
from machine import TOOLS

SETTINGS = """\
[Waking]
WakesPerHour=100000
WakesAtOnce=100
AttachWithin=2s
[Reachability]
Settle=0
"""
DEFAULTS = """\
[Reachability]
Settle=0
"""
MANIFEST = """\
[App]
Name={app}
{identity}={app}.service
WhenInUseUsageDescription=Opens the gate of {app} when the vehicle comes.
AlwaysAndWhenInUseUsageDescription=Opens the gate of {app} when the vehicle comes.

[Wake]
Unit={unit}
For=regions path target
"""
UNIT = """\
[Unit]
Description=A sleeping app
StartLimitIntervalSec=0

[Service]
ExecStart=/usr/bin/python3 -B {tools}/inside/sleeper.py {log} {act} {subscriptions}
{more}
[Install]
WantedBy=default.target
"""
# The address of a network that can be switched on and off.
NETWORK = "192.0.2"


class Sleeper:
    """A system service that is an app, and what it has noted."""

    def __init__(self, scene, app, act="read", subscriptions="path", unit=None, decision="always", more=""):
        self.scene, self.machine, self.app = scene, scene.machine, app
        self.log = f"/var/tmp/{app}.log"
        machine = scene.machine
        prepare(scene)
        machine.write(f"/usr/local/lib/systemd/system/{app}.service",
                      UNIT.format(tools=TOOLS, log=self.log, act=act, subscriptions=subscriptions, more=more))
        machine.write(f"/etc/waymark/apps/{app}.app",
                      MANIFEST.format(app=app, identity="Unit", unit=unit or f"{app}.service"))
        machine.write(self.log, "")
        machine.run("systemctl", "daemon-reload")
        eventually("the app is known", lambda: self.shown() is not None)
        if decision:
            machine.run("waymark", "authorize", app, decision)

    def act(self, act, subscriptions=""):
        """Has it do something else from its next start on."""
        self.machine.write(f"/usr/local/lib/systemd/system/{self.app}.service", UNIT.format(
            tools=TOOLS, log=self.log, act=act, subscriptions=subscriptions, more=""))
        self.machine.run("systemctl", "daemon-reload")

    def shown(self):
        """What `waymark apps` shows of it."""
        for line in self.machine.ask("waymark", "apps", "--json").splitlines():
            each = json.loads(line)
            if each["id"] == self.app:
                return each
        return None

    def waking(self):
        return self.shown()["waking"]

    def notes(self):
        return [json.loads(line) for line in self.machine.ask("cat", self.log).splitlines()]

    def starts(self):
        """The notes that it has made at its starts."""
        return [each for each in self.notes() if "launch" in each]

    def launches(self):
        return [each["launch"] for each in self.starts()]

    def numbers(self, name="app"):
        return [each["sequence"] for each in self.notes() if each.get("monitor") == name]

    def start(self):
        """Starts it as a person does, and waits until it sleeps again."""
        self.machine.run("systemctl", "start", f"{self.app}.service")

    def wait_until_asleep(self):
        eventually(f"{self.app} sleeps", lambda: self.state() in ("inactive", "failed"))

    def state(self):
        return self.scene.property("ActiveState", f"{self.app}.service")

    def run_once(self):
        self.start()
        self.wait_until_asleep()


def prepare(scene):
    """The settings, and a network that can be switched."""
    machine = scene.machine
    if machine.exists("/etc/waymark/waymark.conf.d/waking.conf"):
        return
    machine.write("/etc/waymark/waymark.conf.d/waking.conf", SETTINGS)
    scene.wait_until_ready()
    machine.run("systemctl", "reload", "waymark.service")
    machine.run("ip", "link", "set", "lo", "up")
    machine.run("ip", "link", "add", "road", "type", "veth", "peer", "name", "far")
    machine.run("ip", "addr", "add", f"{NETWORK}.1/24", "dev", "road")
    machine.run("ip", "link", "set", "far", "up")
    machine.run("ip", "link", "set", "road", "up")
    machine.run("ip", "neigh", "replace", f"{NETWORK}.2", "lladdr", "02:00:00:00:00:02", "dev", "road", "nud", "permanent")
    switch(machine, False)
    eventually("waymark-waker serves the daemon",
               lambda: scene.property("ActiveState", "waymark-waker.service") == "active")


def switch(machine, is_on):
    """Switches the route to the rest of the world on or off, and waits until the daemon has noticed."""
    action = ["replace", "default", "via", f"{NETWORK}.2"] if is_on else ["del", "default"]
    machine.run("ip", "route", *action, check=is_on)
    wanted = "satisfied" if is_on else "unsatisfied"
    eventually(f"the path is {wanted}", lambda: path(machine) == wanted, 60, or_show=lambda: path(machine))


def path(machine):
    result = machine.run("waymark", "path", "--json", check=False).stdout
    return json.loads(result).get("status") if result else None


def blink(machine):
    """The path is lost and comes back."""
    switch(machine, False)
    switch(machine, True)


@check("a sleeping app is started when the path is back, learns why, and sees the event once")
def started(scene):
    sleeper = Sleeper(scene, "gate")
    sleeper.run_once()
    expect(sleeper.launches() == ["ownStart"], "a start of its own", sleeper.notes())
    began = time.monotonic()
    switch(scene.machine, True)
    eventually("it has seen the event", lambda: sleeper.numbers() == [1], 30,
               or_show=lambda: (sleeper.notes(), sleeper.waking()))
    seconds = time.monotonic() - began
    sleeper.wait_until_asleep()
    expect(sleeper.launches() == ["ownStart", "woken"], "woken", sleeper.notes())
    shown = sleeper.waking()
    expect(shown["lastCause"] == "path" and shown["pending"] == 0 and "obstacle" not in shown, "what woke it", shown)
    log = scene.machine.ask("waymark", "log", "--app", "gate", "--json")
    expect('"appWoken"' in log, "the event in the journal", log[-2000:])
    switch(scene.machine, False)
    return f"{seconds:.1f} s after the route was there"


@check("a region wakes an app that nobody starts")
def regions(scene):
    sleeper = Sleeper(scene, "fence")
    machine = scene.machine
    place = json.loads(machine.ask("waymark", "get", "--json", "--timeout", "30"))
    sleeper.act("read", f"region={place['latitude']:.4f},{place['longitude']:.4f},400000")
    sleeper.run_once()
    eventually("it has seen where it is", lambda: sleeper.numbers("m")[:1] == [1], 60,
               or_show=lambda: (sleeper.notes(), sleeper.waking()))
    return f"{sleeper.launches()}"


@check("a frozen app is thawed")
def frozen(scene):
    sleeper = Sleeper(scene, "frost", act="linger")
    machine = scene.machine
    switch(machine, False)
    sleeper.start()
    eventually("it has asked", lambda: sleeper.launches() == ["ownStart"], or_show=sleeper.notes)
    eventually("it has subscribed", lambda: any("subscribed" in each for each in sleeper.notes()))
    machine.run("systemctl", "freeze", "frost.service")
    switch(machine, True)
    eventually("it has seen the event", lambda: sleeper.numbers() == [1], 30,
               or_show=lambda: (sleeper.notes(), sleeper.waking()))
    expect(scene.property("FreezerState", "frost.service") == "running", "thawed", sleeper.waking())
    expect(sleeper.launches() == ["ownStart"], "the same process", sleeper.notes())
    machine.run("systemctl", "stop", "frost.service")
    return sleeper.waking()["lastCause"]


@check("an app that never attaches, and one that crashes, are paused after three wakes, until their own start")
def paused(scene):
    machine = scene.machine
    switch(machine, False)
    reasons = {}
    for app, act, obstacle in (("mute", "silent", "neverAttached"), ("brittle", "crash", "ended")):
        sleeper = Sleeper(scene, app)
        sleeper.run_once()
        sleeper.act(act)
        switch(machine, True)
        eventually(f"{app} is paused", lambda: sleeper.waking().get("obstacle") == obstacle, 40,
                   or_show=lambda: (sleeper.waking(), sleeper.notes()))
        expect(sleeper.waking()["failures"] == 3, "three failures", sleeper.waking())
        machine.run("systemctl", "kill", "--signal=KILL", f"{app}.service", check=False)
        sleeper.wait_until_asleep()
        count = len(sleeper.notes())
        blink(machine)
        expect(len(sleeper.notes()) == count, "no further start", sleeper.notes()[count:])
        sleeper.act("read")
        machine.run("systemctl", "reset-failed", f"{app}.service", check=False)
        sleeper.run_once()
        expect(len(sleeper.numbers()) >= 1, "nothing lost", sleeper.notes())
        expect("obstacle" not in sleeper.waking(), "woken again", sleeper.waking())
        reasons[app] = obstacle
        switch(machine, False)
    return ", ".join(f"{app}: {reason}" for app, reason in reasons.items())


@check("an app that a person has stopped, masked, or no longer wants to be woken, is not woken until its own start")
def forced(scene):
    machine = scene.machine
    sleeper = Sleeper(scene, "quiet", act="linger")
    sleeper.start()
    eventually("it has subscribed", lambda: any("subscribed" in each for each in sleeper.notes()))
    sleeper.act("read")
    steps = {
        "stopped": (["systemctl", "stop", "quiet.service"], None),
        "masked": (["systemctl", "mask", "quiet.service"], ["systemctl", "unmask", "quiet.service"]),
        "decision": (["waymark", "waking", "stop", "quiet"], None),
    }
    for obstacle, (command, undo) in steps.items():
        switch(machine, False)
        machine.run(*command)
        eventually(f"it is {obstacle}", lambda: sleeper.waking().get("obstacle") == obstacle, 20,
                   or_show=sleeper.waking)
        count = len(sleeper.launches())
        switch(machine, True)
        eventually("the event is pending", lambda: sleeper.waking()["pending"] == 1, or_show=sleeper.waking)
        scene.restart()
        scene.wait_until_ready()
        blink(machine)
        expect(len(sleeper.launches()) == count, "no start", sleeper.notes())
        expect(sleeper.state() != "active", "it sleeps", sleeper.state())
        if undo:
            machine.run(*undo)
            machine.run("systemctl", "daemon-reload")
        sleeper.run_once()
        expect("obstacle" not in sleeper.waking() and sleeper.waking()["pending"] == 0, "all is read", sleeper.waking())
        expect(sleeper.starts()[-1]["isAfterForcedQuit"], "the app learns that it was forced to quit", sleeper.notes())
        sleeper.run_once()
        expect(not sleeper.starts()[-1]["isAfterForcedQuit"], "once", sleeper.notes())
    # What a person permits again needs no start.
    machine.run("waymark", "waking", "stop", "quiet")
    blink(machine)
    count = len(sleeper.launches())
    machine.run("waymark", "waking", "allow", "quiet")
    eventually("it was woken", lambda: len(sleeper.launches()) > count, or_show=lambda: (sleeper.notes(), sleeper.waking()))
    expect(not sleeper.starts()[-1]["isAfterForcedQuit"], "woken, not started", sleeper.notes())
    sleeper.wait_until_asleep()
    switch(machine, False)
    return ", ".join(steps)


@check("an app is woken five times at once, and then waits")
def budget(scene):
    machine = scene.machine
    greedy = Sleeper(scene, "greedy")
    switch(machine, False)
    greedy.run_once()
    machine.write("/etc/waymark/waymark.conf.d/waking.conf", DEFAULTS)
    machine.run("systemctl", "reload", "waymark.service")
    try:
        for number in range(1, 9):
            blink(machine)
            if number <= 5:
                eventually("it has seen the event", lambda number=number: len(greedy.numbers()) == number, 30,
                           or_show=lambda: (greedy.notes(), greedy.waking()))
                greedy.wait_until_asleep()
        eventually("three events are pending", lambda: greedy.waking()["pending"] == 3, or_show=greedy.waking)
        shown = greedy.waking()
        expect(shown["obstacle"] == "budget" and shown["left"] == 0 and shown["nextAt"] > time.time(),
               "the budget is used up", shown)
        expect(greedy.launches().count("woken") == 5, "five wakes", greedy.notes())
        scene.restart()
        scene.wait_until_ready()
        expect(greedy.waking()["left"] == 0, "a restart changes nothing", greedy.waking())
    finally:
        machine.write("/etc/waymark/waymark.conf.d/waking.conf", SETTINGS)
        machine.run("systemctl", "reload", "waymark.service")
    eventually("with a larger budget it is woken", lambda: len(greedy.numbers()) == 8, or_show=greedy.waking)
    greedy.wait_until_asleep()
    switch(machine, False)
    return f"the next one after {shown['nextAt'] - time.time():.0f} s"


@check("no app is woken that is not authorized always, and none by another's service")
def refused(scene):
    machine = scene.machine
    switch(machine, False)
    denied = Sleeper(scene, "denied")
    denied.run_once()
    machine.run("waymark", "authorize", "denied", "deny")
    switch(machine, True)
    eventually("the event is pending", lambda: denied.waking()["pending"] == 1, or_show=denied.waking)
    expect(denied.waking()["obstacle"] == "notAuthorized", "not authorized", denied.waking())
    expect(denied.launches() == ["ownStart"], "no start", denied.notes())
    machine.run("waymark", "authorize", "denied", "always")
    eventually("it is woken when it is authorized", lambda: denied.numbers() == [1], or_show=denied.notes)
    denied.wait_until_asleep()
    switch(machine, False)
    return denied.waking()["lastCause"]


@check("a user's app is started by that user's manager: when the user lingers, and after a login where not")
def users(scene):
    machine = scene.machine
    prepare(scene)
    switch(machine, False)
    log = "/var/tmp/diary.log"
    machine.write("/home/bob/.config/systemd/user/diary.service",
                  UNIT.format(tools=TOOLS, log=log, act="read", subscriptions="path", more=""))
    machine.write("/home/bob/.config/waymark/apps/diary.app",
                  MANIFEST.format(app="diary", identity="UserUnit", unit="diary.service"))
    # A service of the machine, which a user's manifest names: bob's manager has none of this name.
    machine.write("/etc/systemd/system/vault.service",
                  "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n")
    machine.write("/home/bob/.config/systemd/user/thief.service",
                  UNIT.format(tools=TOOLS, log="/var/tmp/thief.log", act="read", subscriptions="path", more=""))
    machine.write("/home/bob/.config/waymark/apps/thief.app",
                  MANIFEST.format(app="thief", identity="UserUnit", unit="vault.service"))
    machine.run("chown", "-R", "bob:", "/home/bob/.config")
    for each in (log, "/var/tmp/thief.log"):
        machine.write(each, "", mode=0o666)
    machine.run("systemctl", "daemon-reload")
    machine.run("loginctl", "enable-linger", "bob")
    bob = machine.ask("id", "--user", "bob")

    def bobs(*arguments, **more):
        return machine.run("setpriv", f"--reuid={bob}", f"--regid={bob}", "--init-groups", "env",
                           f"XDG_RUNTIME_DIR=/run/user/{bob}", "HOME=/home/bob", *arguments, **more)

    def notes(path=log):
        return [json.loads(line) for line in machine.ask("cat", path).splitlines()]

    def launches(path=log):
        return [each["launch"] for each in notes(path) if "launch" in each]

    eventually("bob's manager runs", lambda: machine.exists(f"/run/user/{bob}/systemd/private"))
    eventually("bob's waker runs",
               lambda: bobs("systemctl", "--user", "is-active", "waymark-waker.service", check=False).stdout.strip() == "active",
               or_show=lambda: bobs("systemctl", "--user", "status", "waymark-waker.service", check=False).stdout)
    for app in ("diary", "thief"):
        bobs("systemctl", "--user", "start", f"{app}.service")
    eventually("both have asked", lambda: launches() == ["ownStart"] and launches("/var/tmp/thief.log") == ["ownStart"],
               or_show=lambda: (notes(), notes("/var/tmp/thief.log")))
    for app in ("diary", "thief"):
        machine.run("waymark", "authorize", app, "always", "--user", "bob")
        bobs("systemctl", "--user", "start", f"{app}.service")
        eventually(f"{app} sleeps again", lambda app=app: bobs(
            "systemctl", "--user", "is-active", f"{app}.service", check=False).stdout.strip() == "inactive")
    switch(machine, True)
    eventually("bob's app was woken", lambda: launches()[-1] == "woken", or_show=notes)
    shown = json.loads(next(line for line in machine.ask("waymark", "apps", "--json").splitlines() if '"thief"' in line))
    eventually("the thief is paused, as bob's manager has no such service",
               lambda: json.loads(next(line for line in machine.ask("waymark", "apps", "--json").splitlines()
                                       if '"thief"' in line))["waking"].get("obstacle") == "noService", 30,
               or_show=lambda: machine.ask("waymark", "apps", "--json"))
    expect(scene.property("ActiveState", "vault.service") == "inactive", "the machine's service untouched", shown)
    # Without lingering nobody starts it; with the next manager of bob's it is woken.
    switch(machine, False)
    machine.run("loginctl", "disable-linger", "bob")
    eventually("bob's manager has ended", lambda: not machine.exists(f"/run/user/{bob}/systemd/private"))
    count = len(launches())
    switch(machine, True)
    def diary():
        return json.loads(next(line for line in machine.ask("waymark", "apps", "--json").splitlines()
                               if '"diary"' in line))["waking"]

    eventually("nobody starts it", lambda: diary().get("obstacle") == "noHelper" and diary()["pending"] >= 1,
               or_show=diary)
    machine.run("loginctl", "enable-linger", "bob")
    eventually("it is woken with the next manager", lambda: len(launches()) > count and launches()[-1] == "woken", 40,
               or_show=notes)
    machine.run("loginctl", "disable-linger", "bob")
    switch(machine, False)
    return f"{len(launches())} starts"


@check("every event is seen once over many wakes while app, helper and daemon are killed")
def turmoil(scene):
    machine = scene.machine
    rounds = scene.wakes
    place = json.loads(machine.ask("waymark", "get", "--json", "--timeout", "30"))
    here = f"{place['latitude']:.6f},{place['longitude']:.6f}"
    # The machine passes this place again and again.
    sleeper = Sleeper(scene, "ferryman", act="fragile", subscriptions=f"path region={here},40")
    other = Sleeper(scene, "outcast")
    stopped = Sleeper(scene, "retired")
    switch(machine, False)
    for each in (sleeper, other, stopped):
        each.machine.run("systemctl", "reset-failed", f"{each.app}.service", check=False)
        eventually("it has subscribed", lambda each=each: each.run_once() or any(
            "subscribed" in note for note in each.notes()))
    machine.run("waymark", "authorize", "outcast", "deny")
    machine.run("waymark", "waking", "stop", "retired")
    before = {each.app: len(each.launches()) for each in (other, stopped)}
    chance = random.Random(20260612)
    kills = {"waymark.service": 0, "waymark-waker.service": 0, "ferryman.service": 0}
    for _ in range(rounds):
        blink(machine)
        if chance.random() < 0.3:
            victim = chance.choice(sorted(kills))
            kills[victim] += 1
            machine.run("systemctl", "kill", "--signal=KILL", "--kill-who=main", victim, check=False)
        if chance.random() < 0.2:
            machine.run("waymark", "waking", "allow", "ferryman", check=False)
    eventually("all is read", lambda: machine.run("waymark", "waking", "allow", "ferryman", check=False).returncode == 0
               and sleeper.waking()["pending"] == 0, 120, or_show=lambda: (sleeper.waking(), sleeper.notes()[-5:]))
    crossings, numbers = sleeper.numbers("m"), sleeper.numbers()
    for found in (crossings, numbers):
        expect(found == list(range(1, len(found) + 1)), "each event once, in order",
               [pair for pair in zip(found, range(1, len(found) + 1)) if pair[0] != pair[1]][:5])
    expect(len(numbers) >= rounds * 0.9, f"an event in most of {rounds} rounds", len(numbers))
    for each in (other, stopped):
        expect(len(each.launches()) == before[each.app], f"no start of {each.app}", each.notes()[-3:])
    woken = sleeper.launches().count("woken")
    return f"{len(numbers)} events of the path and {len(crossings)} of a region in {woken} wakes, kills: {', '.join(f'{name} {count}' for name, count in kills.items())}"
