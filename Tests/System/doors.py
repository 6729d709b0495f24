"""The accesses by which a user without any authorization can read gpsd."""

import json
import re
import time

from check import check
from expectation import eventually, expect
from machine import TOOLS
from scene import RECEIVER, RECORDING

# The accesses of gpsd's own clients, as nobody: a line of its protocol, and its shared memory segment attached for
# reading.
NETWORK = """
import socket
for host in ("127.0.0.1", "::1"):
    try:
        with socket.create_connection((host, 2947), 3) as gpsd:
            print("open" if b"VERSION" in gpsd.recv(4096) else "closed")
            break
    except OSError:
        continue
else:
    print("closed")
"""
SHARED_MEMORY = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print("open" if libc.shmget(0x47505344, 0, 0o444) >= 0 else "closed")
"""
# The third door is gpsd's own connection to the message bus.
BUS = "test -e /proc/{process}/root/run/dbus/system_bus_socket && echo open || echo closed"


def as_nobody(scene, program):
    return scene.machine.ask("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "python3", "-c", program)


def doors(scene):
    process = scene.property("MainPID", "gpsd.service")
    return [as_nobody(scene, NETWORK), as_nobody(scene, SHARED_MEMORY),
            scene.machine.ask("sh", "-c", BUS.format(process=process))]


def door_states(scene):
    shown = json.loads(scene.machine.run("waymark", "gpsd", "status", "--json", check=False).stdout)
    return [shown["network"], shown["sharedMemory"], shown["messageBus"]]


def has_position(scene):
    return "latitude" in scene.machine.ask("waymark", "get", "--timeout", "20", "--json", check=False)


def expect_nothing_left(scene):
    left = scene.machine.ask("sh", "-c", "cd /etc/systemd/system && ls -d *gpsd*.d chrony*.d waymark-gpsd* 2>/dev/null || true")
    expect(not left, "no unit and no drop-in left", left)


@check("Debian's gpsd is open to programs of nobody by three doors, and this is reported", is_long=True)
def is_open(scene):
    scene.wait_until_ready()
    expect(has_position(scene), "a position", scene.machine.ask("waymark", "status"))
    expect(doors(scene) == ["open"] * 3, "three open doors", doors(scene))
    expect(door_states(scene) == ["open"] * 3, "three reported open doors", door_states(scene))
    return "open: network, shared memory, message bus"


@check("a closed gpsd serves the daemon and nobody else, also after a reboot", is_long=True)
def is_closed(scene):
    scene.machine.run("waymark", "gpsd", "close")
    for _ in range(2):
        scene.wait_until_ready()
        eventually("a position", lambda: has_position(scene), 60, or_show=lambda: scene.machine.ask("waymark", "status"))
        expect(doors(scene) == ["closed"] * 3, "three closed doors", doors(scene))
        expect(door_states(scene) == ["closed"] * 3, "three reported closed doors", door_states(scene))
        for path in ("/run/gpsd.sock", "/run/waymark-gpsd/gpsd.sock"):
            mode = scene.machine.ask("stat", "--format=%a", path)
            expect(mode == "600", f"{path} of mode 600", mode)
        scene.machine.reboot()
    return "closed: network, shared memory, message bus"


@check("an opened gpsd is as it was", is_long=True)
def is_opened_again(scene):
    scene.wait_until_ready()
    scene.machine.run("waymark", "gpsd", "open")
    eventually("a position", lambda: has_position(scene), 60, or_show=lambda: scene.machine.ask("waymark", "status"))
    expect(doors(scene) == ["open"] * 3, "three open doors", doors(scene))
    expect_nothing_left(scene)
    return "no drop-in is left"


def documented(pattern):
    """The files that the documentation describes for administrators."""
    with open("Documentation/hardening.md", encoding="utf-8") as file:
        return re.search(pattern, file.read(), re.MULTILINE | re.DOTALL)[0]


@check("a gpsd that needs the network is closed by a rule for its port", is_long=True)
def is_closed_by_rule(scene):
    machine = scene.machine
    scene.install()
    scene.wait_until_ready()
    defaults = machine.ask("cat", "/etc/default/gpsd") + "\n"
    machine.write("/etc/default/gpsd", defaults.replace('GPSD_OPTIONS=""', 'GPSD_OPTIONS="-G"'))
    refused = machine.run("waymark", "gpsd", "close", check=False)
    expect(refused.returncode == 1 and "needs the network" in refused.stderr, "that close refuses", refused.stderr)
    machine.write("/etc/default/gpsd", defaults)
    machine.run("apt-get", "install", "--yes", "--no-install-recommends", "nftables")
    drop_ins = {"/etc/systemd/system/gpsd.service.d/own.conf": documented(r"^# gpsd.service\n.*?^(?=# )"),
                "/etc/systemd/system/waymark-gpsd.service.d/own.conf": documented(r"^# waymark-gpsd.service\n.*?(?=^```$)")}
    for path, text in drop_ins.items():
        machine.write(path, text)
    machine.write("/etc/nftables.conf", documented(r"^table inet waymark \{$.*?^\}$") + "\n")
    machine.run("systemctl", "enable", "nftables.service")
    machine.reboot()
    scene.wait_until_ready()
    eventually("a position", lambda: has_position(scene), 60, or_show=lambda: machine.ask("waymark", "status"))
    expect(doors(scene) == ["closed"] * 3, "three closed doors", doors(scene))
    expect(door_states(scene) == ["closed"] * 3, "three reported closed doors", door_states(scene))
    root = machine.ask("python3", "-c", NETWORK)
    expect(root == "open", "the port open to root", root)
    machine.run("nft", "flush", "ruleset")
    expect(doors(scene) == ["open", "closed", "closed"], "the port open without the rule", doors(scene))
    machine.run("systemctl", "disable", "nftables.service")
    for path in drop_ins:
        machine.remove(path.rpartition("/")[0])
    machine.reboot()
    return "closed to nobody's programs, open to the daemon and to root"


@check("an installation with that answer closes gpsd, and a purge restores it", is_long=True)
def is_closed_by_installation(scene):
    machine = scene.machine
    scene.wait_until_ready()
    machine.run("apt-get", "purge", "--yes", "waymark")
    machine.run("debconf-set-selections", given="waymark waymark/close-gpsd boolean true\n")
    scene.install()
    scene.wait_until_ready()
    eventually("a position", lambda: has_position(scene), 60, or_show=lambda: machine.ask("waymark", "status"))
    expect(doors(scene) == ["closed"] * 3, "three closed doors", doors(scene))
    machine.run("debconf-set-selections", given="waymark waymark/close-gpsd boolean false\n")
    scene.install()
    expect(doors(scene) == ["closed"] * 3, "three closed doors after another installation", doors(scene))
    machine.run("apt-get", "purge", "--yes", "waymark")
    expect_nothing_left(scene)
    eventually("gpsd for everybody", lambda: as_nobody(scene, NETWORK) == "open", 30)
    return "closed by the answer, open after the purge"


def furnish_clock(scene):
    """chrony, which does not change the clock, and a gpsd that gets the time from a receiver."""
    machine = scene.machine
    machine.write("/etc/systemd/system/clock.service",
                  RECEIVER.format(tools=TOOLS, recording=RECORDING).replace("/run/receiver", "/run/clock --pipe"))
    machine.write("/etc/default/gpsd", 'DEVICES="/run/clock"\nGPSD_OPTIONS="-n"\nUSBAUTO="false"\n')
    # The machine has no right to set the clock, which is not its own.
    machine.write("/usr/lib/systemd/system/chrony.service.d/clock.conf", "[Unit]\nConditionCapability=\n")
    machine.write("/etc/default/chrony", 'DAEMON_OPTS="-x"\n')
    machine.run("apt-get", "install", "--yes", "--no-install-recommends", "-o", "Dpkg::Options::=--force-confold", "chrony")
    machine.write("/etc/chrony/chrony.conf", "refclock SHM 0 refid GPS poll 2 dpoll 0\n")
    machine.run("systemctl", "enable", "--now", "clock.service")
    machine.run("systemctl", "enable", "gpsd.service")
    machine.run("systemctl", "restart", "chrony.service", "gpsd.service")


def offsets(scene, since):
    """The difference between the clock and gpsd's time, seconds, as reported by chrony; empty without a sample since then."""
    sources = [line.split(",") for line in scene.machine.ask("chronyc", "-c", "sources", check=False).splitlines()]
    return [float(columns[7]) for columns in sources
            if columns[2] == "GPS" and int(columns[5], 8) > 0 and time.monotonic() - int(columns[6]) > since]


def wait_for_time(scene):
    # Earlier reports of gpsd have arrived by then.
    since = time.monotonic() + 2
    (found,) = eventually("chrony has the time of gpsd", lambda: offsets(scene, since), 60,
                          or_show=lambda: scene.machine.ask("chronyc", "sources", check=False))
    expect(abs(found) < 2, "less than 2 s between gpsd's time and the clock's", found)
    return found


def expect_namespaces(scene):
    """gpsd and chrony have shared memory in common, and nothing else that was each one's own."""
    processes = [scene.property("MainPID", "gpsd.service"), scene.property("MainPID", "chrony.service"), "1"]

    def found(kind):
        return scene.machine.ask("stat", "--dereference", "--format=%d:%i",
                                 *[f"/proc/{process}/{kind}" for process in processes]).split()
    gpsd, chrony, machine = found("ns/ipc")
    expect(gpsd == chrony != machine, "gpsd and chrony in an IPC namespace of theirs", (gpsd, chrony, machine))
    gpsd, chrony, machine = found("ns/net")
    expect(gpsd != machine == chrony, "gpsd without the machine's network, chrony with it", (gpsd, chrony, machine))
    gpsd, chrony, machine = found("root/tmp")
    expect(chrony not in (gpsd, machine), "a /tmp of chrony's own", (gpsd, chrony, machine))


@check("a closed gpsd sends the time to chrony, and to nobody else", is_long=True)
def sets_chronys_time(scene):
    machine = scene.machine
    scene.install()
    scene.wait_until_ready()
    furnish_clock(scene)
    wait_for_time(scene)
    machine.run("waymark", "gpsd", "close")
    for restart in (lambda: machine.run("systemctl", "restart", "chrony.service"),
                    lambda: machine.run("systemctl", "restart", "gpsd.service"),
                    machine.reboot):
        restart()
        seconds = wait_for_time(scene)
        expect_namespaces(scene)
        expect(doors(scene) == ["closed"] * 3, "three closed doors", doors(scene))
    scene.wait_until_ready()
    eventually("a position", lambda: has_position(scene), 60, or_show=lambda: machine.ask("waymark", "status"))
    machine.run("waymark", "gpsd", "open")
    expect_nothing_left(scene)
    eventually("three open doors", lambda: doors(scene) == ["open"] * 3, 30, or_show=lambda: str(doors(scene)))
    wait_for_time(scene)
    machine.run("waymark", "gpsd", "close")
    wait_for_time(scene)
    machine.run("apt-get", "purge", "--yes", "waymark")
    expect_nothing_left(scene)
    eventually("gpsd for everybody", lambda: as_nobody(scene, NETWORK) == "open", 30)
    machine.run("systemctl", "start", "gpsd.service")
    wait_for_time(scene)
    return f"{seconds:+.3f} s by shared memory, before and after a restart of each and a reboot"
