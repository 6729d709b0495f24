"""The package of the hub: its service, under its own unit."""

import glob
import json
import os

from check import check
from expectation import eventually, expect

FOLDER = "/var/lib/waymark-hub"
NOTES = "/v1/production/org.example.notes"
# A request of a device, with the standard library only. The certificate is the hub's own, whose key the code names.
CLIENT = """
import json, ssl, sys, urllib.request
method, path, token, key, body = sys.argv[1:]
request = urllib.request.Request("https://127.0.0.1:8743" + path, body.encode() or None, method=method)
if token: request.add_header("Authorization", "Bearer " + token)
if key: request.add_header("Idempotency-Key", key)
context = ssl.create_default_context(cafile="%s/certificate.pem")
context.check_hostname = False
with urllib.request.urlopen(request, context=context, timeout=30) as answer: print(answer.read().decode())
""" % FOLDER


def send(scene, method, path, token="", key="", body=""):
    return json.loads(scene.machine.ask("python3", "-c", CLIENT, method, path, token, key, body) or "null")


def join(scene, device, *more):
    invitation = json.loads(scene.machine.ask("waymark-hub", "invite", device, "--json", *more))
    code = invitation["code"].split(".")[0]
    return send(scene, "POST", "/v1/join", body=json.dumps({"code": code}))["token"]


@check("the hub serves after its package is installed, over a reboot, with few rights and a folder of its own")
def serves(scene):
    machine = scene.machine
    found = glob.glob(os.path.join(os.path.dirname(os.path.abspath(scene.package)), "waymark-hub_*.deb"))
    expect(len(found) == 1, "the hub's package beside the one that is tested", found)
    machine.take(found[0], "waymark-hub.deb")
    machine.ask("apt-get", "install", "--yes", "--no-install-recommends", "/exchange/waymark-hub.deb", patience=120)
    eventually("the hub runs", lambda: scene.property("ActiveState", "waymark-hub.service") == "active",
               or_show=lambda: machine.ask("journalctl", "--unit=waymark-hub", "--no-pager", check=False))
    expect(scene.property("User", "waymark-hub.service") == "waymark-hub", "a user of its own", "another one")
    expect(machine.ask("stat", "--format=%a %U", FOLDER) == "700 waymark-hub", "a folder of its own",
           machine.ask("ls", "-la", FOLDER))

    phone = join(scene, "phone", "--account", "alice")
    send(scene, "POST", f"{NOTES}/private/zones", phone, "1", '{"save":["notes"]}')
    note = '{"type":"Note","fields":{"text":{"string":"milk"}}}'
    send(scene, "PUT", f"{NOTES}/zones/alice/notes/records/n1", phone, "2", note)
    machine.reboot()
    eventually("the hub runs again", lambda: scene.property("ActiveState", "waymark-hub.service") == "active")
    laptop = join(scene, "laptop")
    page = send(scene, "GET", f"{NOTES}/zones/alice/notes/changes", laptop)
    expect([one["fields"]["text"]["string"] for one in page["changed"]] == ["milk"], "the record of the phone", page)

    scene.machine.run("systemctl", "kill", "--signal=KILL", "waymark-hub.service")
    eventually("the hub runs after it was killed",
               lambda: scene.property("ActiveState", "waymark-hub.service") == "active"
               and machine.run("waymark-hub", "stats", check=False).returncode == 0)
    expect(send(scene, "GET", "/v1/device", laptop)["device"] == "laptop", "the laptop is known", "it is not")
    process = scene.property("MainPID", "waymark-hub.service")
    memory = machine.ask("awk", "/^VmRSS/ { print $2 }", f"/proc/{process}/status")
    machine.ask("apt-get", "purge", "--yes", "waymark-hub", patience=120)
    expect(not machine.exists("/usr/bin/waymark-hub"), "the program is removed", "it is there")
    return f"{int(memory) / 1024:.1f} MiB resident"
