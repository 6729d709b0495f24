"""By which doors a user whom nobody has authorized can read gpsd."""

import json

from check import check
from expectation import eventually, expect

# What gpsd's own clients do, as nobody: a line of its protocol, and its shared memory segment attached for reading.
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


def told(scene):
    shown = json.loads(scene.machine.run("waymark", "gpsd", "status", "--json", check=False).stdout)
    return [shown["network"], shown["sharedMemory"], shown["messageBus"]]


def has_position(scene):
    return "latitude" in scene.machine.ask("waymark", "get", "--timeout", "20", "--json", check=False)


@check("a gpsd as Debian has it is open to nobody's programs by three doors, and it is told", is_long=True)
def is_open(scene):
    scene.wait_until_ready()
    expect(has_position(scene), "a position", scene.machine.ask("waymark", "status"))
    expect(doors(scene) == ["open"] * 3, "three open doors", doors(scene))
    expect(told(scene) == ["open"] * 3, "three open doors told", told(scene))
    return "open: network, shared memory, message bus"


@check("a closed gpsd serves the daemon and nobody else, also after the machine was started anew", is_long=True)
def is_closed(scene):
    scene.machine.run("waymark", "gpsd", "close")
    for _ in range(2):
        scene.wait_until_ready()
        eventually("a position", lambda: has_position(scene), 60, or_show=lambda: scene.machine.ask("waymark", "status"))
        expect(doors(scene) == ["closed"] * 3, "three closed doors", doors(scene))
        expect(told(scene) == ["closed"] * 3, "three closed doors told", told(scene))
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
    left = scene.machine.ask("sh", "-c", "ls -d /etc/systemd/system/*gpsd*.d 2>/dev/null || true")
    expect(not left, "no drop-in left", left)
    return "no drop-in is left"


@check("an installation that is told to closes gpsd, and a purge leaves it as it was", is_long=True)
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
    left = machine.ask("sh", "-c", "ls -d /etc/systemd/system/*gpsd*.d 2>/dev/null || true")
    expect(not left, "no drop-in left", left)
    eventually("gpsd for everybody", lambda: as_nobody(scene, NETWORK) == "open", 30)
    return "closed by the answer, open after the purge"
