"""The uploader as a service of its own, with a credential, and a server on the machine."""

import json
import time

from check import check
from expectation import eventually, expect
from machine import TOOLS

NAME = "home"
UPLOADER = f"waymark-upload@{NAME}.service"
TOKEN = "a-token-that-nobody-else-may-see"
CREDENTIAL = "/etc/waymark/credentials/home.token"
RECEIVED = "/var/lib/upload-server/points.jsonl"
DESTINATION = """\
[Destination]
URL=http://127.0.0.1:8765/geojson
Format=geojson
[Filter]
Interval=none
Stationary=none
[Credential]
Kind=bearer
Name=token
"""
DROP_IN = f"[Service]\nLoadCredential=token:{CREDENTIAL}\n"
SERVER = f"""\
[Service]
StateDirectory=upload-server
LoadCredential=token:{CREDENTIAL}
ExecStart=/usr/libexec/waymark/waymark-upload-test-server --file {RECEIVED} --expect-token %d/token
"""


def prepare(scene):
    """A server and a destination, set up once, as in the README."""
    machine = scene.machine
    scene.wait_until_ready()
    if machine.exists(CREDENTIAL):
        return
    machine.write(CREDENTIAL, TOKEN, mode=0o600)
    machine.write("/etc/systemd/system/upload-server.service", SERVER)
    machine.write(f"/etc/waymark/uploads.d/{NAME}.conf", DESTINATION)
    machine.write(f"/etc/systemd/system/{UPLOADER}.d/override.conf", DROP_IN)
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "start", "upload-server.service")
    checked = machine.ask("waymark-upload", "--check", NAME, check=False)
    machine.run("waymark", "authorize", f"waymark-upload@{NAME}", "always")
    machine.run("systemctl", "enable", "--now", UPLOADER)
    expect(scene.property("ActiveState", UPLOADER) == "active", "the uploader runs", checked)


def received(scene):
    """The points that the server has stored."""
    said = scene.machine.run("cat", RECEIVED, check=False).stdout
    return [json.loads(line) for line in said.splitlines()]


def arrives(scene, more=10):
    """Waits until this number of further points has arrived, and returns the seconds until then."""
    began, before = time.monotonic(), len(received(scene))
    eventually("points arrive", lambda: len(received(scene)) >= before + more, 60, or_show=lambda: upload_state(scene))
    return time.monotonic() - began


def upload_state(scene):
    """The status of the upload, and the uploader's log."""
    return "\n".join((scene.machine.ask("waymark", "uploads", check=False), scene.machine.ask(
        "journalctl", "--unit", UPLOADER, "--unit=upload-server", "--lines=30", "--no-pager", check=False)))


@check("an uploader with a credential sends recorded positions to a server that requires it")
def sends(scene):
    prepare(scene)
    took = arrives(scene)
    said = scene.machine.ask("journalctl", "--no-pager", "--output=verbose", "--grep", TOKEN, "--all", check=False)
    expect(TOKEN not in said, "the credential in no journal", "it is in one")
    status = scene.machine.ask("systemctl", "status", "--no-pager", UPLOADER)
    expect(TOKEN not in status, "the credential not in systemctl status", status)
    text = scene.property("StatusText", UPLOADER)
    return f"10 points within {took:.1f} s; “{text}”"


@check("a wrong credential is refused, and its correction is used after the command that is named")
def corrects_credential(scene):
    prepare(scene)
    machine = scene.machine
    arrives(scene, 1)
    machine.write(CREDENTIAL, "a-token-that-is-wrong", mode=0o600)
    machine.run("systemctl", "restart", UPLOADER)
    eventually("it is refused", lambda: "401" in machine.ask("waymark", "uploads"), 60, or_show=lambda: upload_state(scene))
    machine.write(CREDENTIAL, TOKEN, mode=0o600)
    said = " ".join(machine.ask("waymark", "uploads").split())
    command = f"sudo systemctl restart {UPLOADER}"
    expect(f"`{command}`" in said, "the command that helps is named", said)
    machine.run("systemctl", "reload", UPLOADER)
    expect("401" in machine.ask("waymark", "uploads"), "a reload does not help", upload_state(scene))
    machine.run(*command.split()[1:])
    return f"10 points within {arrives(scene):.1f} s of the restart"


@check("uploader, daemon and server killed while points are sent: each arrives, once")
def survives(scene):
    prepare(scene)
    arrives(scene, 5)
    for victim in ("waymark.service", UPLOADER, "upload-server.service"):
        scene.machine.run("systemctl", "kill", "--signal=KILL", "--kill-who=main", victim)
        if victim == "upload-server.service":
            eventually("the server has ended", lambda: scene.property("ActiveState", victim) == "failed")
            scene.machine.run("systemctl", "start", victim)
        arrives(scene)
    points = received(scene)
    numbers = sorted(number_of(point) for point in points)
    expect(numbers == list(range(numbers[0], numbers[0] + len(numbers))), "each number once",
           [pair for pair in zip(numbers, numbers[1:]) if pair[1] != pair[0] + 1])
    return f"{len(points)} points, number {numbers[0]} to {numbers[-1]}"


def number_of(point):
    """A point's number in its recording, which its id ends with."""
    return int(str(point["id"]).rpartition("/")[2])


@check("an uploader is started with the machine, and continues after the last acknowledged position")
def starts_with_machine(scene):
    prepare(scene)
    arrives(scene)
    last = max(map(number_of, received(scene)))
    scene.machine.reboot()
    scene.machine.run("systemctl", "start", "upload-server.service")
    arrives(scene)
    numbers = sorted(map(number_of, received(scene)))
    expect(numbers == list(range(numbers[0], numbers[0] + len(numbers))), "each number once", numbers)
    return f"to number {last} before the reboot, to {numbers[-1]} after it"


YARD = "waymark-upload@yard.service"
MESSAGES = "/var/lib/messages/messages.jsonl"
MESSAGE_SERVER = f"""\
[Service]
StateDirectory=messages
ExecStart=/usr/bin/python3 -B {TOOLS}/inside/messages.py 8766 {MESSAGES}
"""
YARD_DESTINATION = """\
[Destination]
URL=http://127.0.0.1:8766/pub
Format=owntracks
[Device]
User=anna
Name=car
[OwnTracks]
Regions=/etc/waymark/uploads.d/yard.geojson
"""


def messages(scene, kind):
    """The stored messages of a kind of OwnTracks, in the order in which they came."""
    lines = scene.machine.run("cat", MESSAGES, check=False).stdout.splitlines()
    return [each for each in map(json.loads, lines) if each["_type"] == kind]


@check("the regions of an OwnTracks destination are reported once each, over a stopped server and a reboot", is_long=True)
def reports_regions(scene):
    machine = scene.machine
    scene.wait_until_ready()
    place = json.loads(machine.ask("waymark", "get", "--json", "--timeout", "30"))
    feature = {"type": "Feature", "id": "gate", "properties": {"radius": 40},
               "geometry": {"type": "Point", "coordinates": [place["longitude"], place["latitude"]]}}
    machine.write("/etc/waymark/uploads.d/yard.geojson", json.dumps(feature))
    machine.write("/etc/waymark/uploads.d/yard.conf", YARD_DESTINATION)
    machine.write("/etc/systemd/system/messages.service", MESSAGE_SERVER)
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "start", "messages.service")
    machine.ask("waymark-upload", "--check", "yard")
    machine.run("waymark", "authorize", "waymark-upload@yard", "always", "--precise")
    machine.run("systemctl", "enable", "--now", YARD)

    def passed(count):
        # The receiver drives to and fro, so that the gate is entered and left again and again.
        eventually(f"{count} transitions are stored", lambda: len(messages(scene, "transition")) >= count, 90,
                   or_show=lambda: upload_state(scene))

    passed(2)
    machine.run("systemctl", "stop", "messages.service")
    pending = eventually("an event waits for the server", lambda: "regions" in machine.ask(
        "waymark", "uploads", "--json", check=False) and any(each["status"]["regions"]["pending"] > 0 for each in map(
            json.loads, machine.ask("waymark", "uploads", "--json").splitlines()) if each["name"] == "yard"), 90,
        or_show=lambda: upload_state(scene))
    expect(pending, "an event waits", pending)
    before = len(messages(scene, "transition"))
    machine.reboot()
    machine.run("systemctl", "start", "messages.service")
    passed(before + 3)
    said = messages(scene, "transition")
    expect(len({each["_id"] for each in said}) == len(said), "each transition once", said)
    directions = [each["event"] for each in said]
    expect(all(one != other for one, other in zip(directions, directions[1:])), "enter and leave in turn", directions)
    waypoints = messages(scene, "waypoint")
    expect(waypoints and all(each["desc"] == "gate" and each["tst"] == said[0]["wtst"] for each in waypoints),
           "the waypoint of the gate", waypoints)
    return f"{len(said)} transitions, {before} of them before the server was stopped"
