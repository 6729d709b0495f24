"""Settings that are read again while the service runs."""

from check import check
from expectation import eventually, expect

FILE = "/etc/waymark/waymark.conf.d/50-test.conf"
GOOD = "[Receiver]\nGPSD=localhost:2948\n"
BAD = "[Receiver]\nGPSD=localhost:2949\nStaleAfter=sometimes\n"


def said(scene, since, text):
    """Whether the service has logged that text since then."""
    lines = scene.machine.ask(
        "journalctl", "--unit=waymark.service", f"--after-cursor={since}", "--output=cat", "--no-pager")
    return next((line for line in lines.splitlines() if text in line), None)


def cursor(scene):
    """Where the journal ends now."""
    shown = scene.machine.ask("journalctl", "--show-cursor", "--lines=0", "--no-pager")
    return shown.splitlines()[-1].removeprefix("-- cursor: ")


@check("a good configuration is applied by systemctl reload, without a restart")
def reload_good(scene):
    process = scene.wait_until_ready()
    before = scene.status()["receiver"]["gpsd"]
    scene.machine.write(FILE, GOOD)
    try:
        scene.machine.run("systemctl", "reload", "waymark.service")
        eventually("the setting counts", lambda: scene.status()["receiver"]["gpsd"] == "localhost:2948")
        expect(scene.process() == process, f"process {process}", scene.process())
    finally:
        scene.machine.remove(FILE)
        scene.machine.run("systemctl", "reload", "waymark.service")
    eventually("without the file it is as before", lambda: scene.status()["receiver"]["gpsd"] == before)
    return f"{before}, localhost:2948, {before}"


@check("a bad configuration changes nothing at a reload, and is reported with file and line")
def reload_bad(scene):
    process = scene.wait_until_ready()
    before, since = scene.status()["receiver"]["gpsd"], cursor(scene)
    scene.machine.write(FILE, BAD)
    try:
        reloaded = scene.machine.run("systemctl", "reload", "waymark.service", check=False)
        expect(reloaded.returncode != 0, "systemctl reload reports a failure", reloaded.returncode)
        line = eventually("the mistake is in the journal", lambda: said(scene, since, f"{FILE}:3"))
        expect(scene.status()["receiver"]["gpsd"] == before, f"gpsd is at {before}", scene.status()["receiver"]["gpsd"])
        expect(scene.process() == process, f"process {process}", scene.process())
        checked = scene.machine.run("waymark", "config", "check", check=False)
        expect(checked.returncode == 1 and f"{FILE}:3" in checked.stdout + checked.stderr,
               "waymark config check reports it, too", checked.stdout + checked.stderr)
    finally:
        scene.machine.remove(FILE)
        scene.machine.run("systemctl", "reload", "waymark.service")
    return f"“{line}”"


@check("a bad configuration at a start is reported, and once it is corrected the service runs")
def start_bad(scene):
    scene.wait_until_ready()
    since = cursor(scene)
    scene.machine.write(FILE, BAD)
    try:
        started = scene.machine.run("systemctl", "restart", "waymark.service", check=False)
        expect(started.returncode != 0, "systemctl restart reports a failure", started.returncode)
        eventually("the mistake is in the journal", lambda: said(scene, since, f"{FILE}:3"))
        state = scene.property("ActiveState")
    finally:
        scene.machine.remove(FILE)
    began = scene.property("NRestarts")
    scene.machine.run("systemctl", "reset-failed", "waymark.service", check=False)
    scene.machine.run("systemctl", "start", "waymark.service")
    scene.wait_until_ready()
    return f"{state} after {began} restarts, running again when it was corrected"
