"""The service's stored state, damaged or on a full disk."""

from check import check
from configuration import cursor, said
from expectation import eventually, expect

FOLDER = "/var/lib/waymark"
# The disk is full when this is written; removed, there is room again.
FILL = f"{FOLDER}/fill"


@check("unreadable state is set aside and reported, and gives nobody a right")
def damaged(scene):
    machine = scene.machine
    scene.wait_until_ready()
    scene.decide()
    streams = scene.streams_of("ferry", 5)
    eventually("positions come", lambda: streams.account()["positions"] > 10)
    machine.run("systemctl", "stop", "waymark.service", "waymark.socket")
    machine.run("bash", "-c", f"rm -f {FOLDER}/journal.db-*; head -c 100000 /dev/urandom >{FOLDER}/journal.db")
    since = cursor(scene)
    machine.run("systemctl", "start", "waymark.socket", "waymark.service")
    scene.wait_until_ready()
    line = eventually("it is reported", lambda: said(scene, since, "journal"), or_show=scene.journal)
    aside = [name for name in machine.ask("ls", FOLDER).splitlines() if not name.startswith("journal.db-")]
    expect(len(aside) > 1, "the old file beside the new one", aside)
    eventually("streams get an error", lambda: streams.account()["errors"])
    before = streams.account()["positions"]
    status = scene.status()
    expect(status["journal"]["state"] == "running", "a journal that runs", status["journal"])
    expect(streams.account()["positions"] == before, "no position for those whose decisions were lost",
           streams.account())
    scene.decide()
    eventually("decided again, positions come", lambda: streams.account()["positions"] > before + 10)
    return f"{', '.join(aside)}; “{line}”"


@check("a full disk stops no positions, and decisions are preserved when there is room again")
def full(scene):
    machine = scene.machine
    scene.wait_until_ready()
    scene.decide()
    streams = scene.streams_of("ferry", 5)
    machine.run("systemctl", "stop", "waymark.service", "waymark.socket")
    # A small disk of its own, with the previous files.
    machine.run("bash", "-c", f"""
        folder=$(readlink -f {FOLDER}); cp -a "$folder" /tmp/state; mount -t tmpfs -o size=2M,mode=700 tmpfs "$folder"
        chown --reference=/tmp/state "$folder"; cp -a /tmp/state/. "$folder"; rm -rf /tmp/state""")
    machine.run("systemctl", "start", "waymark.socket", "waymark.service")
    scene.wait_until_ready()
    machine.run("bash", "-c", f"cat /dev/zero >{FILL}", check=False)
    refused = machine.run("waymark", "authorize", "parked", "always", check=False)
    before = streams.account()["positions"]
    eventually("positions come all the same", lambda: streams.account()["positions"] > before + 50)
    status = scene.property("StatusText")
    state = scene.status()["journal"]["state"]
    machine.remove(FILL)
    eventually("there is room again", lambda: scene.status()["journal"]["state"] == "running", 60,
               or_show=lambda: str(scene.status()["journal"]))
    machine.run("waymark", "authorize", "parked", "while-using")
    scene.restart()
    before = streams.account()["positions"]
    eventually("positions come", lambda: streams.account()["positions"] > before + 10)
    return f"journal {state}, “{status}”, a decision meanwhile ended with {refused.returncode}"
