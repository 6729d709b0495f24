"""A machine with our package, a receiver, and apps of every kind."""

import json
import os

from companions import Companion
from expectation import Failure, eventually
from machine import EXCHANGE, TOOLS

RECEIVER = """\
[Unit]
Description=A receiver that plays a recording
Before=gpsd.service

[Service]
ExecStart=/usr/bin/python3 -B {tools}/inside/receiver.py {recording} /run/receiver

[Install]
WantedBy=multi-user.target
"""
RECORDING = "/usr/local/share/waymark-tests/ten-hertz.nmea"
FIXTURE = "Tests/Fixtures/ten-hertz.nmea"

MANIFEST = """\
[App]
Name={name}
Unit={app}.service
AlwaysInUse={always_in_use}
WhenInUseUsageDescription=Shows where the {app} is while somebody looks.
AlwaysAndWhenInUseUsageDescription=Shows where the {app} is at any time.
Record=yes
"""
# Every app is a system service with a user of its own, and an operator's decision.
APPS = {
    # may have positions at any time, and does
    "ferry": ("yes", "always"),
    # the same, and records
    "logbook": ("yes", "always"),
    # may have them while it is used, which it never is
    "parked": ("no", "while-using"),
    # may have none
    "stranger": ("yes", "deny"),
}


class Scene:
    def __init__(self, machine, package, is_short):
        self.machine = machine
        self.package = package
        self.is_short = is_short
        self.companions = []
        self.crowds = {}
        self.is_decided = False
        # How often sleeping apps are woken in the test that kills everything meanwhile.
        self.wakes = int(os.environ.get("WAYMARK_WAKES", "10" if is_short else "40"))

    # How it is set

    def install(self):
        """Installs the package as an administrator does, and returns apt's output."""
        return self.machine.ask(
            "apt-get", "install", "--yes", "--no-install-recommends", f"{EXCHANGE}/waymark.deb", patience=120)

    def furnish(self):
        """The receiver, the apps and their users; nothing is decided for the apps."""
        machine = self.machine
        with open(FIXTURE, encoding="ascii") as recording:
            machine.write(RECORDING, recording.read())
        machine.write("/etc/systemd/system/receiver.service", RECEIVER.format(tools=TOOLS, recording=RECORDING))
        machine.write("/etc/default/gpsd", 'DEVICES="/run/receiver"\nGPSD_OPTIONS=""\nUSBAUTO="false"\n')
        machine.run("systemctl", "enable", "receiver.service")
        for app, (always_in_use, _) in APPS.items():
            machine.run("useradd", "--system", app)
            machine.write(f"/etc/waymark/apps/{app}.app",
                          MANIFEST.format(name=app.capitalize(), app=app, always_in_use=always_in_use))
        machine.run("useradd", "--create-home", "--shell", "/bin/bash", "bob")
        machine.run("systemctl", "enable", "waymark.socket", "waymark.service")

    def decide(self):
        """Applies an operator's decision for each app: for the system service, whatever its user."""
        for app, (_, decision) in APPS.items():
            self.machine.run("waymark", "authorize", app, decision)
        self.is_decided = True

    def end(self):
        for each in self.companions:
            each.abandon()
        self.machine.discard()

    # Operations in it

    def status(self):
        return json.loads(self.machine.ask("waymark", "status", "--json"))

    def property(self, name, unit="waymark.service"):
        """One property of a unit, from systemctl."""
        return self.machine.ask("systemctl", "show", "--property", name, "--value", unit)

    def process(self):
        """The daemon's number in the machine."""
        return int(self.property("MainPID"))

    def wait_until_ready(self, other_than=None, seconds=30):
        """Waits until the service runs, as another process than that."""
        def is_ready():
            process = self.process()
            return process not in (0, other_than) and self.property("ActiveState") == "active" and process
        return eventually("the service runs", is_ready, seconds,
                          or_show=lambda: f"{self.property('ActiveState')}, {self.property('Result')}")

    def restart(self):
        """Restarts it as an administrator does, and is not held up by the limit of starts in a short time."""
        self.machine.run("systemctl", "reset-failed", "waymark.service", "waymark.socket")
        self.machine.run("systemctl", "restart", "waymark.service")

    def keeps_connections(self):
        """Whether the unit has systemd store connections while it is restarted in order."""
        return self.property("FileDescriptorStoreMax") != "0"

    def kill(self, signal):
        self.machine.run("systemctl", "kill", f"--signal={signal}", "--kill-who=main", "waymark.service")

    def streams(self, app, count, method="io.waymark.Location.Monitor"):
        """A number of streams of an app's program."""
        return self.companion(app, "streams.py", str(count), method)

    def streams_of(self, app, count):
        """The same, shared by all checks that use the app, after all decisions."""
        if not self.is_decided:
            self.decide()
        if app not in self.crowds:
            self.crowds[app] = self.streams(app, count)
        return self.crowds[app]

    def companion(self, app, program, *arguments):
        """A program of an app that reports its observations."""
        found = Companion(self.machine.start_service(
            f"{app}.service", "/usr/bin/python3", "-B", f"{TOOLS}/inside/{program}", *arguments, user=app))
        self.companions.append(found)
        return found

    def witness(self):
        """A client of gpsd that gets the same reports as the daemon."""
        found = Companion(self.machine.start("/usr/bin/python3", "-B", f"{TOOLS}/inside/witness.py"))
        self.companions.append(found)
        return found

    def journal(self):
        """The last log lines of the service and of systemd about it."""
        try:
            return self.machine.ask(
                "journalctl", "--no-pager", "--lines=40", "--output=short-precise", "--unit=waymark.service",
                "--unit=waymark.socket", "--unit=waymark-waker.service", check=False)
        except (Failure, OSError, TypeError) as error:
            return f"cannot be read: {error}"
