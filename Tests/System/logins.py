"""A person who logs in, and the services for persons."""

import json
import os
import select
import signal
import subprocess

from boot import last
from check import check
from companions import Companion
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

    def __init__(self, machine, user, password=None):
        """Logs in: with the password that login(1) asks for, or by the word of root."""
        command = f"/bin/login {user}" if password else f"/bin/login -f {user}"
        self.process = machine.start("script", "--quiet", "--command", command, "/dev/null", stderr=subprocess.STDOUT)
        self.said = ""
        if password:
            self.wait_for("Password:")
            self.type(password)

    def wait_for(self, text):
        """Waits until the terminal shows a text."""
        def is_shown():
            if select.select([self.process.stdout], [], [], 0)[0]:
                self.said += os.read(self.process.stdout.fileno(), 4096).decode(errors="replace")
            return text in self.said
        eventually(f"the terminal shows {text}", is_shown, or_show=lambda: self.said)

    def type(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def end(self):
        """Ends it, if it has not ended, and returns the terminal's output."""
        if self.process.stdin.closed:
            return self.said
        try:
            self.type("exit")
            self.said += self.process.communicate(timeout=10)[0]
        except (subprocess.TimeoutExpired, BrokenPipeError):
            os.killpg(self.process.pid, signal.SIGKILL)
            self.said += self.process.communicate()[0]
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


TRAIL = """\
[App]
Name=Trail
UserUnit=trail.service
AlwaysInUse=yes
AlwaysAndWhenInUseUsageDescription=Records where bob goes.
Record=yes
"""
PASSWORD = "a heron on the third pier"
# The line of Documentation/protection.md.
UNLOCK = "auth optional pam_exec.so quiet seteuid expose_authtok /usr/bin/waymark unlock --pam\n"


def status_of(scene, *arguments):
    return json.loads(scene.machine.ask("waymark", "protection", "status", "--json", *arguments))


def personal_app(scene, number, name, program, *arguments):
    """A service of bob's, with pipes to it."""
    found = Companion(scene.machine.start(
        "setpriv", f"--reuid={number}", f"--regid={number}", "--init-groups", "env", f"XDG_RUNTIME_DIR=/run/user/{number}",
        "systemd-run", "--user", "--quiet", "--collect", "--pipe", "--wait", f"--unit={name}.service", "--",
        "/usr/bin/python3", "-B", f"{TOOLS}/inside/{program}", *arguments))
    scene.companions.append(found)
    return found


@check("what bob records has a lock of its own: closed when he logs out, opened by his password at a login, and nothing is missing")
def has_own_lock(scene):
    machine = scene.machine
    scene.wait_until_ready()
    scene.decide()
    number = machine.ask("id", "--user", "bob")
    machine.run("loginctl", "enable-linger", "bob")
    machine.run("chpasswd", given=f"bob:{PASSWORD}\n")
    machine.write("/etc/waymark/apps/trail.app", TRAIL)
    eventually("the app is known", lambda: "trail" in machine.ask("waymark", "apps", "--json"))
    machine.run("waymark", "authorize", "trail", "always", "--user", "bob")
    mine, his = scene.companion("logbook", "recorder.py", "trip"), personal_app(scene, number, "trail", "recorder.py", "trail")
    eventually("both record", lambda: min(last(mine), last(his)) > 20, or_show=lambda: (mine.account(), his.account()))

    def state():
        return status_of(scene, "--user", "bob")["state"]

    login = Login(machine, "bob")
    try:
        eventually("there is a session", lambda: session(scene))
        login.type(f"echo '{PASSWORD}' | waymark protection set-passphrase --stdin")
        eventually("his rows have moved to his keys", lambda: (
            state() == "unlocked" and status_of(scene, "--user", "bob")["rowsToSeal"] == 0), or_show=lambda: login.end())
        expect(status_of(scene)["state"] == "open", "no passphrase of the machine", status_of(scene))
    finally:
        login.end()
    eventually("he is locked after his session", lambda: state() == "locked", 30, or_show=lambda: str(status_of(scene, "--user", "bob")))
    # What was read before the lock was read.
    before, others = last(his), last(mine)
    eventually("the machine's rows are open", lambda: last(mine) > others + 30)
    expect(last(his) == before, "his are closed, and recorded", (before, last(his)))

    machine.run("bash", "-c", f"cp /etc/pam.d/common-auth /root/ && printf '%s' '{UNLOCK}' >>/etc/pam.d/common-auth")
    wrong = Login(machine, "bob", "a heron")
    wrong.wait_for("Login incorrect")
    os.killpg(wrong.process.pid, signal.SIGKILL)
    wrong.end()
    report = status_of(scene, "--user", "bob")
    expect(report["state"] == "locked" and report.get("failures", 0) == 0, "a wrong login unlocks and counts nothing", report)
    login = Login(machine, "bob", PASSWORD)
    try:
        eventually("the login has unlocked", lambda: state() == "unlocked", or_show=lambda: login.said)
        eventually("his recording continues", lambda: last(his) > before + 30, or_show=lambda: str(his.account())[:400])
    finally:
        login.end()
    machine.run("mv", "/root/common-auth", "/etc/pam.d/common-auth")
    for name, account in (("the machine's", mine.finish()), ("his", his.finish())):
        numbers = [each for each, _ in account["read"]]
        expect(numbers == list(range(1, len(numbers) + 1)), f"{name} positions without a gap", numbers[:5] + numbers[-5:])
        expect(not account["errors"], f"no error for {name} reader", account["errors"])
    machine.run("loginctl", "disable-linger", "bob")
    return f"{len(numbers)} positions of his, {before} of them before he logged out"
