"""Records synchronized between accounts of one machine over its own hub, under the units of the packages."""

import glob
import json
import os

from check import check
from expectation import eventually, expect
from machine import TOOLS

CONTAINER = "org.example.notes"
MANIFEST = f"""[App]
Name=Notes
Unit=notes.service
Containers={CONTAINER}
"""
# An app that sleeps until another machine has changed a record.
READER = f"""[App]
Name=Reader
Unit=reader.service
Containers={CONTAINER}

[Wake]
Unit=reader.service
For=push
"""
READER_LOG = "/var/tmp/reader.log"
READER_SERVICE = f"""[Service]
ExecStart=/usr/bin/python3 -B {TOOLS}/inside/sleeper.py {READER_LOG} {{act}}
"""
# The same for a service of bob's. The manifest is root's: one of bob's own could not name a container of the machine's apps.
POCKET = f"""[App]
Name=Pocket
UserUnit=pocket.service
Containers={CONTAINER}

[Wake]
Unit=pocket.service
For=push
"""
POCKET_LOG = "/var/tmp/pocket.log"
POCKET_SERVICE = f"""[Service]
ExecStart=/usr/bin/python3 -B {TOOLS}/inside/sleeper.py {POCKET_LOG} read
"""
# Saves a record as bob, or as root: no app.
BOB = """
import json, sys
sys.path.insert(0, "%s/inside")
from varlink import Connection
print(json.dumps(Connection(sys.argv[1]).ask("io.waymark.Sync.ModifyRecords", {"container": "%s", "zone": "notes",
    "request": {"save": [{"record": {"name": sys.argv[2], "type": "Note", "fields": {"text": {"string": sys.argv[3]}}}}]}})))
""" % (TOOLS, CONTAINER)
# Makes the zone as bob.
ZONE = """
import sys
sys.path.insert(0, "%s/inside")
from varlink import Connection
print(Connection(sys.argv[1]).ask("io.waymark.Sync.ModifyZones", {"container": "%s", "save": ["notes"]}))
""" % (TOOLS, CONTAINER)
# An app that is a service: it makes a zone, saves a note, and writes what it is answered.
APP = """
import json, socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect("/run/waymark-sync/sync.sock")
def call(method, **parameters):
    connection.sendall(json.dumps({"method": "io.waymark.Sync." + method, "parameters": parameters}).encode() + b"\\0")
    reply = b""
    while not reply.endswith(b"\\0"): reply += connection.recv(65536)
    print(reply[:-1].decode(), flush=True)
call("ModifyZones", save=["notes"])
call("ModifyRecords", zone="notes", request={"save": [{"record":
    {"name": "n1", "type": "Note", "fields": {"text": {"string": "milk"}}}}]})
# What is for the person, and for no app.
for method in ("GetStatus", "GetKeys", "ExamineReset", "ResetKeys", "ListIdentifierReaders", "GetAlerts", "ListAlertApps"):
    call(method)
call("AcknowledgeAlert", number=1, count=1)
call("AllowAlerts", app="reader", allowed=False)
call("GetTeam", container="%s")
call("DeploySchema", container="%s", changeRoles=False)
call("Leave", unsent=0)
""" % (CONTAINER, CONTAINER)
FOR_THE_PERSON = 12
SERVICE = """[Service]
Type=oneshot
DynamicUser=yes
ExecStart=/usr/bin/python3 /usr/local/share/notes.py
StandardOutput=truncate:/var/tmp/{name}.out
"""


def hub_package(scene):
    found = glob.glob(os.path.join(os.path.dirname(os.path.abspath(scene.package)), "waymark-hub_*.deb"))
    expect(len(found) == 1, "the hub's package beside the one that is tested", found)
    return found[0]


def install_hub(scene):
    machine = scene.machine
    machine.take(hub_package(scene), "waymark-hub.deb")
    machine.ask("apt-get", "install", "--yes", "--no-install-recommends", "/exchange/waymark-hub.deb", patience=120)
    eventually("the hub runs", lambda: machine.run("waymark-hub", "stats", check=False).returncode == 0)


def invitation(machine, device):
    return json.loads(machine.ask("waymark-hub", "invite", device, "--account", "boat", "--json"))["code"]


class Person:
    """Bob, whose services run without a login."""

    def __init__(self, machine):
        self.machine = machine
        machine.run("loginctl", "enable-linger", "bob")
        self.number = machine.ask("id", "--user", "bob")
        self.socket = f"/run/user/{self.number}/waymark/sync.sock"
        eventually("bob's socket is open", lambda: machine.exists(self.socket))

    def run(self, *arguments, **more):
        return self.machine.run(
            "setpriv", f"--reuid={self.number}", f"--regid={self.number}", "--init-groups", "env",
            f"XDG_RUNTIME_DIR=/run/user/{self.number}", "HOME=/home/bob", *arguments, **more)

    def records(self):
        return self.run("waymark", "sync", "records", CONTAINER, "notes", check=False).stdout

    def save(self, name, text="tea"):
        reply = self.run("python3", "-B", "-c", BOB, self.socket, name, text).stdout
        expect("revision" in reply, "bob saves a note", reply)

    def leave(self):
        self.run("waymark", "leave")
        self.machine.run("loginctl", "disable-linger", "bob")


@check("a record of a service reaches a person's account over the hub, and only apps with the container have it")
def synchronizes(scene):
    machine = scene.machine
    install_hub(scene)

    def code(device):
        return invitation(machine, device)

    # The socket starts the service, which joins for the machine.
    expect(scene.property("ActiveState", "waymark-sync.socket") == "active", "the socket is open", "it is not")
    machine.ask("waymark", "join", "https://localhost:8743", code("engine"))
    expect(scene.property("User", "waymark-sync.service") == "waymark-sync", "a user of its own", "another one")

    # A service with DynamicUser= has a /var/tmp of its own.
    machine.write("/usr/local/share/notes.py", APP)
    machine.write("/etc/waymark/apps/notes.app", MANIFEST)
    for name in ("notes", "stranger"):
        machine.write(f"/etc/systemd/system/{name}.service", SERVICE.format(name=name))
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "start", "notes.service", "stranger.service")
    saved = machine.ask("cat", "/var/tmp/notes.out")
    expect('"revision"' in saved and saved.count("error") == FOR_THE_PERSON, "the app has saved a note", saved)
    expect(saved.count("io.waymark.Sync.NotAllowed") == FOR_THE_PERSON, "an app may not do what is for the person", saved)
    refused = machine.ask("cat", "/var/tmp/stranger.out")
    expect(refused.count("io.waymark.Sync.NotAllowed") == 2 + FOR_THE_PERSON, "a service without a manifest is refused",
           refused)

    person = Person(machine)
    bob, bobs, save = person.number, person.run, person.save
    bobs("waymark", "join", "https://localhost:8743", code("bobs"))
    bobs("waymark", "sync", "zones", "--add", CONTAINER)
    eventually("bob has the note",
               lambda: '"milk"' in bobs("waymark", "sync", "records", CONTAINER, "notes", check=False).stdout,
               or_show=lambda: bobs("waymark", "sync", check=False).stdout)
    # Bob is no administrator: the account of the machine is not his.
    other = bobs("waymark", "sync", "--sync-socket", "/run/waymark-sync/sync.sock", check=False)
    expect(other.returncode == 4, "bob may not use the machine's account", (other.returncode, other.stderr))

    # A sleeping service is started by what bob saves, and by nothing that the machine itself does.
    machine.write(READER_LOG, "")
    machine.write("/etc/systemd/system/reader.service", READER_SERVICE.format(act="read"))
    machine.write("/etc/waymark/apps/reader.app", READER)
    machine.run("systemctl", "daemon-reload")

    def notes(path=READER_LOG):
        return [json.loads(line) for line in machine.ask("cat", path).splitlines()]

    def launches(path=READER_LOG):
        return [line["cause"] for line in notes(path) if line.get("launch") == "woken"]

    eventually("the reader is known", lambda: "reader" in machine.ask("waymark", "apps", "--json"))
    wakes = len(launches())
    save("n2")
    eventually("the reader was woken by the push", lambda: launches()[wakes:] == ["push"], or_show=lambda: (
        machine.ask("cat", READER_LOG) + machine.run("waymark", "apps", "reader", check=False).stdout
        + machine.ask("journalctl", "--unit=waymark-sync", "--unit=waymark", "--lines=30", "--no-pager", check=False)))
    eventually("the reader has ended", lambda: scene.property("ActiveState", "reader.service") == "inactive")

    # A frozen one is thawed by the next push.
    machine.write("/etc/systemd/system/reader.service", READER_SERVICE.format(act="linger"))
    machine.run("systemctl", "daemon-reload")
    starts = len([line for line in notes() if "launch" in line])
    machine.run("systemctl", "start", "reader.service")
    eventually("the reader lingers", lambda: len([line for line in notes() if "launch" in line]) == starts + 1)
    machine.run("systemctl", "freeze", "reader.service")
    seen = len([line for line in notes() if line.get("kind") == "push"])
    save("n4")
    eventually("the reader was thawed and has seen the push",
               lambda: len([line for line in notes() if line.get("kind") == "push"]) == seen + 1,
               or_show=lambda: (notes()[-5:], machine.run("waymark", "apps", "reader", check=False).stdout))
    expect(scene.property("FreezerState", "reader.service") == "running", "thawed", notes()[-5:])
    expect(len([line for line in notes() if "launch" in line]) == starts + 1, "the same process", notes()[-5:])
    machine.write("/etc/systemd/system/reader.service", READER_SERVICE.format(act="read"))
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "kill", "--signal=KILL", "reader.service")

    # An app of bob's is started by bob's service manager, when the machine's account has saved something.
    machine.write(POCKET_LOG, "", mode=0o666)
    machine.write("/home/bob/.config/systemd/user/pocket.service", POCKET_SERVICE)
    machine.write("/etc/waymark/apps/pocket.app", POCKET)
    machine.run("chown", "-R", "bob:", "/home/bob/.config")
    bobs("systemctl", "--user", "daemon-reload")
    eventually("bob's app is known", lambda: "pocket" in machine.ask("waymark", "apps", "--json"))
    eventually("bob's waker runs", lambda: bobs(
        "systemctl", "--user", "is-active", "waymark-waker.service", check=False).stdout.strip() == "active")
    bobs("systemctl", "--user", "start", "pocket.service")
    eventually("bob's app has asked", lambda: any(line.get("launch") == "ownStart" for line in notes(POCKET_LOG)),
               or_show=lambda: machine.ask("cat", POCKET_LOG))
    eventually("bob's app sleeps", lambda: bobs(
        "systemctl", "--user", "is-active", "pocket.service", check=False).stdout.strip() == "inactive")
    wakes = len(launches(POCKET_LOG))
    reply = machine.ask("python3", "-B", "-c", BOB, "/run/waymark-sync/sync.sock", "n5", "tea")
    expect("revision" in reply, "the machine saves a note", reply)
    eventually("bob's manager has started bob's app for the push",
               lambda: launches(POCKET_LOG)[wakes:] == ["push"], or_show=lambda: (
                   machine.ask("cat", POCKET_LOG) + machine.run("waymark", "apps", "pocket", check=False).stdout
                   + machine.ask("journalctl", "--lines=30", "--no-pager", "_UID=" + bob, check=False)))
    expect(scene.property("LoadState", "pocket.service") == "not-found", "no service of the machine", "one of its name")

    machine.reboot()
    eventually("the account is served after a reboot",
               lambda: '"milk"' in machine.run("waymark", "sync", "records", CONTAINER, "notes", check=False).stdout)
    eventually("bob's account as well",
               lambda: '"milk"' in bobs("waymark", "sync", "records", CONTAINER, "notes", check=False).stdout)
    wakes = len(launches())
    save("n3")
    eventually("the reader is woken after the reboot, too", lambda: launches()[wakes:] == ["push"])
    process = scene.property("MainPID", "waymark-sync.service")
    memory = machine.ask("awk", "/^VmRSS/ { print $2 }", f"/proc/{process}/status")
    person.leave()
    machine.ask("waymark", "leave")
    machine.ask("apt-get", "purge", "--yes", "waymark-hub", patience=120)
    return f"{int(memory) / 1024:.1f} MiB resident"


MACHINES_SOCKET = "/run/waymark-sync/sync.sock"
# One connection of a service, and what it is answered.
VISITOR_SERVICE = f"""[Service]
Type=oneshot
DynamicUser=yes
ExecStart=/usr/bin/python3 -B -c 'import sys; sys.path.insert(0, "{TOOLS}/inside"); from varlink import Connection; print(Connection("{MACHINES_SOCKET}").ask("org.varlink.service.GetInfo"))'
StandardOutput=truncate:/var/tmp/visitor.out
"""


@check("a user who holds all connections that a user may have to the machine's account takes none of others")
def counts_by_control_groups(scene):
    machine = scene.machine
    person = Person(machine)
    held = "/home/bob/held"
    machine.write("/etc/systemd/system/visitor.service", VISITOR_SERVICE)
    machine.run("systemctl", "daemon-reload")
    eventually("bob's service manager runs",
               lambda: person.run("systemctl", "--user", "is-system-running", check=False).stdout.strip()
               in ("running", "degraded"))
    person.run("systemd-run", "--user", "--unit=holder", "python3", "-B", f"{TOOLS}/inside/holder.py",
               MACHINES_SOCKET, held)
    eventually("bob has connected as often as possible", lambda: machine.exists(held))
    count = int(machine.ask("cat", held))
    expect(count == 64, "64 connections of one user", count)

    # Another unit of bob's counts to the same quota.
    person.run("systemd-run", "--user", "--wait", "--unit=second", "sh", "-c",
               f"timeout 5 python3 -B {TOOLS}/inside/holder.py {MACHINES_SOCKET} {held}-second; true")
    second = int(machine.ask("cat", f"{held}-second"))
    expect(second == 0, "none for another unit of bob's", second)

    machine.run("systemctl", "start", "visitor.service")
    reply = machine.ask("cat", "/var/tmp/visitor.out")
    expect("waymark-sync" in reply, "a service is served meanwhile", reply)
    status = machine.run("waymark", "sync", check=False)
    expect("too many connections" not in status.stdout + status.stderr, "root is served", status.stderr)

    person.run("systemctl", "--user", "stop", "holder.service")
    machine.remove(held)
    machine.run("loginctl", "disable-linger", "bob")
    return f"{count} connections of one user, and others are served"


PASSPHRASE = "a heron on the third pier\n"
# A text that no file may have.
PLANTED = "the house by the river"
FOLDERS = ("/var/lib/waymark-sync", "/home/bob/.local/share/waymark-sync")
# An app of the machine with the container: what is in its copy, and what it reads of the files of both copies.
THIEF = """
import glob, json, sys
sys.path.insert(0, "%s/inside")
from varlink import Connection
reply = Connection("/run/waymark-sync/sync.sock").ask("io.waymark.Sync.ListRecords", {"zone": "notes"})
opened = []
for path in sys.argv[1:]:
    try: opened.append((path, len(open(path, "rb").read())))
    except OSError: pass
print(json.dumps({"reply": reply, "opened": opened}), flush=True)
""" % TOOLS
THIEF_SERVICE = """[Service]
Type=oneshot
User=stranger
ExecStart=/usr/bin/python3 -B /usr/local/share/thief.py {files}
StandardOutput=truncate:/var/tmp/thief.out
"""


@check("the copies of records are sealed on a machine with a passphrase, closed over a reboot, and synchronize afterwards")
def is_sealed(scene):
    machine = scene.machine
    scene.wait_until_ready()
    install_hub(scene)
    machine.ask("waymark", "join", "https://localhost:8743", invitation(machine, "engine"))
    person = Person(machine)
    person.run("waymark", "join", "https://localhost:8743", invitation(machine, "bobs"))
    person.run("python3", "-B", "-c", ZONE, person.socket)
    person.save("p1", PLANTED)

    def machines_records():
        return machine.run("waymark", "sync", "records", CONTAINER, "notes", check=False).stdout

    def planted():
        """The files below the folders of the copies that have the text."""
        return machine.run("grep", "--recursive", "--files-with-matches", "--fixed-strings", PLANTED, *FOLDERS,
                           check=False).stdout.split()

    machine.ask("waymark", "sync", "zones", "--add", CONTAINER)
    eventually("the machine has the note", lambda: PLANTED in machines_records(),
               or_show=lambda: machine.run("waymark", "sync", check=False).stdout)
    found = planted()
    expect(all(any(path.startswith(folder) for path in found) for folder in FOLDERS), "plain copies, in which it is found", found)

    machine.run("waymark", "protection", "set-passphrase", "--stdin", given=PASSPHRASE)
    for run in (machine.run, person.run):
        eventually("the copy is sealed", lambda: "Copy: sealed" in run("waymark", "sync", check=False).stdout,
                   or_show=lambda: run("waymark", "sync", check=False).stdout)
    expect(not planted(), "no file with the text", planted())

    # Locked by hand, it goes on; the files are closed for everybody.
    machine.run("waymark", "lock")
    person.save("p2", "saved while it is locked")
    eventually("it synchronizes while it is locked", lambda: "saved while it is locked" in machines_records())
    files = machine.ask("find", *FOLDERS, "/var/lib/waymark", "-type", "f").split()
    sealed = [path for path in files if path.endswith(("/sync.sealed", f"/copy-{person.number}.key", "/copy-machine.key"))]
    expect(len(sealed) == 4, "two sealed copies and their keys", files)
    machine.write("/usr/local/share/thief.py", THIEF)
    machine.write("/etc/waymark/apps/thief.app", f"[App]\nName=Thief\nUnit=thief.service\nContainers={CONTAINER}\n")
    machine.write("/etc/systemd/system/thief.service", THIEF_SERVICE.format(files=" ".join(files)))
    machine.run("systemctl", "daemon-reload")

    def app():
        machine.run("systemctl", "start", "thief.service")
        return json.loads(machine.ask("cat", "/var/tmp/thief.out"))

    open_copy = app()
    expect(PLANTED in json.dumps(open_copy["reply"]) and not open_copy["opened"],
           "records by the socket, and no file", open_copy)

    machine.reboot()
    scene.wait_until_ready()
    eventually("bob's socket is open", lambda: machine.exists(person.socket))
    closed = app()
    expect(closed["reply"].get("error") == "io.waymark.Sync.ProtectedDataUnavailable" and not closed["opened"],
           "an app that gets nothing", closed)
    expect("error" in person.run("waymark", "sync", "records", CONTAINER, "notes", check=False).stderr.lower()
           or PLANTED not in person.records(), "nor does bob", person.records())
    expect(not planted(), "no file with the text", planted())

    machine.run("waymark", "unlock", "--stdin", given=PASSPHRASE)
    for records in (machines_records, person.records):
        eventually("the records are there", lambda: PLANTED in records() and "saved while it is locked" in records(),
                   or_show=lambda: machine.run("waymark", "sync", check=False).stdout)
    person.save("p3", "saved after it was unlocked")
    eventually("it synchronizes again", lambda: "saved after it was unlocked" in machines_records())
    expect(PLANTED in json.dumps(app()["reply"]) and not planted(), "records by the socket, and in no file", planted())
    person.leave()
    machine.ask("waymark", "leave")
    return f"{len(sealed) - 2} sealed copies, {len(files)} files without the text"
