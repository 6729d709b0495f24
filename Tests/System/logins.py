"""A person who logs in, and the services for persons."""

import json
import os
import signal
import subprocess

from check import check
from expectation import eventually, expect
from machine import EXCHANGE, TOOLS

MANIFEST = """\
[App]
Name=Trips
UserUnit=trips.service
WhenInUseUsageDescription=Shows where the trip goes.
"""


class Login:
    """A session on a terminal, made by login(1) and PAM as on any console."""

    def __init__(self, machine, user):
        self.process = machine.start("script", "--quiet", "--command", f"/bin/login -f {user}", "/dev/null",
                                     stderr=subprocess.STDOUT)
        self.said = ""

    def type(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def end(self):
        """Ends it, if it has not ended, and returns the terminal's output."""
        if self.process.stdin.closed:
            return self.said
        try:
            self.type("exit")
            self.said, _ = self.process.communicate(timeout=10)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            os.killpg(self.process.pid, signal.SIGKILL)
            self.said, _ = self.process.communicate()
        return self.said


def session(scene):
    """Bob's sessions, from logind."""
    reported = json.loads(scene.machine.ask("loginctl", "--output=json", "list-sessions"))
    return [each["session"] for each in reported if each["user"] == "bob"]


@check("a person who logs in is asked by an agent, and the answer takes effect")
def is_asked(scene):
    machine = scene.machine
    scene.wait_until_ready()
    # A system service as the app: bob's own app could request only with a session at a seat, and a session on
    # a pseudo-terminal has none.
    machine.write("/etc/waymark/apps/trips.app", MANIFEST)
    result = f"{EXCHANGE}/person.json"
    machine.run("chmod", "1777", EXCHANGE)
    login = Login(machine, "bob")
    try:
        eventually("there is a session", lambda: session(scene))
        login.type(f"python3 -B {TOOLS}/inside/person.py {result}.part && mv {result}.part {result}")
        eventually("the person has answered", lambda: machine.exists(result), 40,
                   or_show=lambda: login.end()[-2000:])
    finally:
        login.end()
    reported = json.loads(machine.ask("cat", result))
    expect(reported["registered"] == {"registered": True}, "the agent is accepted", reported)
    expect("answered" in reported["answered"] and reported["positions"] == 3, "an answer that takes effect, and positions", reported)
    apps = machine.ask("waymark", "apps", "--json")
    ours = next(json.loads(line) for line in apps.splitlines() if '"trips"' in line)
    expect(ours["status"] == "authorizedWhenInUse" or ours["permission"] == "whenInUse", "while it is used", ours)
    return f"“{reported['title']}”, {reported['choice']}, {reported['positions']} positions in session {reported['session']}"


@check("the agent's service runs in a session without a desktop, and waits for one")
def agent_waits(scene):
    scene.wait_until_ready()
    login = Login(scene.machine, "bob")
    try:
        eventually("there is a session", lambda: session(scene))
        login.type("systemctl --user start waymark-agent.service")

        def state():
            return dict(line.split("=", 1) for line in scene.machine.ask(
                "systemctl", "--user", "--machine=bob@.host", "show", "--property=ActiveState,NRestarts,MemoryCurrent",
                "waymark-agent.service", check=False).splitlines())
        eventually("it runs", lambda: state().get("ActiveState") == "active", or_show=lambda: str(state()))
        said = scene.machine.ask("journalctl", "--no-pager", "--lines=3", "--output=cat",
                                 "_SYSTEMD_USER_UNIT=waymark-agent.service")
        expect(state()["NRestarts"] == "0", "no restarts", state())
    finally:
        login.end()
    eventually("it ends with the session", lambda: not session(scene))
    return f"“{said.splitlines()[-1] if said else 'nothing'}”"
