"""The package replaced by a newer one and by an older one while clients stream and record, and removed."""

import time

from check import check
from crowd import Crowd, ends, expect_silence
from expectation import eventually, expect
from package import repack, version_of
from recording import is_recent, look_at_recording


def replace(scene, recording, version, *options):
    """Installs that version under load, and returns the observations of the clients and of the recording."""
    machine = scene.machine
    package = repack(scene.package, version, machine.scratch)
    machine.take(package, "waymark-other.deb")
    crowd, witness = Crowd(scene), scene.witness()
    recorder = scene.companion("logbook", "recorder.py", recording)
    crowd.streams_again()
    eventually("positions are recorded", lambda: len(recorder.account()["read"]) > 20)
    before, process = crowd.accounts(), scene.process()
    began = time.monotonic()
    machine.run("apt-get", "install", "--yes", "--no-install-recommends", *options, "/exchange/waymark-other.deb",
                patience=120)
    took = time.monotonic() - began
    expect(version_installed(scene) == version, f"version {version}", version_installed(scene))
    scene.wait_until_ready()
    expect(scene.process() != process, "the new program runs", f"still process {process}")
    crowd.streams_again()
    eventually("positions are recorded", lambda: is_recent(recorder.account()["read"]))
    recorded, said, after = recorder.finish(), witness.finish()["times"], crowd.accounts()
    eventually("the app has ended", lambda: scene.property("ActiveState", "logbook.service") == "inactive")
    expect_silence(after)
    expect(after["ferry"]["repeats"] == 0, "no position twice", after["ferry"])
    missed, longest = look_at_recording(recorded, said)
    lost = ends(after) - ends(before)
    if scene.keeps_connections():
        expect(lost == 0, "no connection lost", after)
        expect(not missed, "nothing of gpsd's missed", missed)
    return (f"apt took {took:.1f} s, longest silence of a stream {after['ferry']['longest_silence']:.2f} s, "
            f"{lost} connections lost, {len(recorded['read'])} positions recorded, {len(missed)} of gpsd's missed, at "
            f"most {longest} in a row")


def version_installed(scene):
    return scene.machine.ask("dpkg-query", "--show", "--showformat=${Version}", "waymark")


@check("an upgrade loses no stream and no recorded position")
def upgrades(scene):
    scene.wait_until_ready()
    return replace(scene, "upgrade", version_of(scene.package) + "+1")


@check("a downgrade loses no stream and no recorded position", is_long=True)
def downgrades(scene):
    scene.wait_until_ready()
    return replace(scene, "downgrade", version_of(scene.package) + "~1", "--allow-downgrades")


@check("when removed, nothing of it runs, and its data are preserved for the next installation")
def removes(scene):
    machine = scene.machine
    scene.wait_until_ready()
    scene.decide()
    machine.run("apt-get", "remove", "--yes", "waymark")
    running = machine.ask(
        "systemctl", "list-units", "--all", "--plain", "--no-legend", "--state=active,failed", "waymark*")
    expect(not running, "no unit of it", running)
    expect(machine.run("pgrep", "-f", "waymarkd", check=False).returncode == 1, "no process of it", "there is one")
    scene.install()
    scene.wait_until_ready()
    reported = machine.ask("waymark", "apps", "ferry")
    expect("always" in reported.lower(), "the decision", reported)
    return "decisions preserved"


@check("a purge with the answer no preserves its data", is_long=True)
def purges_and_keeps(scene):
    machine = scene.machine
    scene.wait_until_ready()
    scene.decide()
    machine.run("debconf-set-selections", given="waymark waymark/purge-state boolean false\n")
    machine.run("apt-get", "purge", "--yes", "waymark")
    expect(machine.exists("/var/lib/waymark/journal.db"), "the journal", "nothing")
    scene.install()
    scene.wait_until_ready()
    reported = machine.ask("waymark", "apps", "ferry")
    expect("always" in reported.lower(), "the decision", reported)
    return "decisions preserved"


@check("purged, nothing of it is left")
def purges(scene):
    machine = scene.machine
    scene.wait_until_ready()
    machine.write("/etc/waymark/uploads.d/home.conf", "[Destination]\nURL=http://127.0.0.1/\nFormat=geojson\n")
    machine.run("systemctl", "enable", "waymark-upload@home.service")
    machine.run("apt-get", "purge", "--yes", "waymark")
    machine.run("systemctl", "daemon-reload")
    # The checks' own: the tools, the recording that the receiver plays.
    left = [path for path in files(machine) if "waymark" in path
            and not path.startswith(("/usr/local/lib/waymark-tests", "/usr/local/share/waymark-tests"))]
    expect(not left, "no file, no link and no folder", left)
    names = [line for file in ("passwd", "group") for line in machine.ask("cat", f"/etc/{file}").splitlines()
             if line.startswith("waymark")]
    # A name that systemd still remembers is no unit.
    listed = machine.ask("systemctl", "list-units", "--all", "--plain", "--no-legend", "waymark*").splitlines()
    units = [line for line in listed if " not-found " not in line]
    expect(not units, "no unit", units)
    return f"no file; in passwd and group: {', '.join(names) or 'nothing'}"


def files(machine):
    """All files of the machine, except those of the kernel and of memory file systems."""
    # Files that are removed meanwhile make find end with 1.
    found = machine.ask("find", "/etc", "/opt", "/root", "/run", "/srv", "/usr", "/var", "-xdev", check=False)
    return found.splitlines()
