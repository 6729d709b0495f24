"""The network of the machine, to which the service itself may have no access."""

import time

from check import check
from expectation import eventually, expect


def path(scene):
    return scene.machine.ask("waymark", "path", "--json", check=False)


@check("the machine's network is reported, whatever network the service is in")
def notifies_network(scene):
    scene.wait_until_ready()
    expect('"unsatisfied"' in path(scene), "no network to begin with", path(scene))
    machine = scene.machine
    machine.run("ip", "link", "add", "wan", "type", "veth", "peer", "name", "far")
    for interface in ("wan", "far"):
        machine.run("ip", "link", "set", interface, "up")
    machine.run("ip", "address", "add", "192.0.2.2/24", "dev", "wan")
    machine.run("ip", "neighbour", "add", "192.0.2.1", "lladdr", "02:00:00:00:00:01", "dev", "wan")
    began = time.monotonic()
    machine.run("ip", "route", "add", "default", "via", "192.0.2.1")
    eventually("the network is reported", lambda: '"satisfied"' in path(scene), or_show=lambda: path(scene))
    gained = time.monotonic() - began
    machine.run("ip", "link", "set", "far", "down")
    began = time.monotonic()
    eventually("its loss is reported", lambda: '"satisfied"' not in path(scene), or_show=lambda: path(scene))
    lost = time.monotonic() - began
    machine.run("ip", "link", "delete", "wan")
    private = scene.property("PrivateNetwork")
    return f"reported after {gained * 1000:.0f} ms, its loss after {lost * 1000:.0f} ms; PrivateNetwork={private}"


@check("gpsd is found and lost, however the service gets to it")
def reaches_receiver(scene):
    scene.wait_until_ready()
    position = scene.machine.ask("waymark", "get", "--timeout", "20", "--json")
    expect("latitude" in position, "a position", position)
    streams = scene.streams_of("ferry", 1)
    eventually("a stream gets positions", lambda: streams.account()["positions"] > 5)
    scene.machine.run("systemctl", "stop", "gpsd.service")
    before = streams.account()["positions"]
    # The stream needs positions, so gpsd's socket is connected again, which starts gpsd.
    began = time.monotonic()
    eventually("positions come again", lambda: streams.account()["positions"] > before + 5, 40,
               or_show=lambda: scene.machine.ask("waymark", "status"))
    return f"gpsd at {scene.status()['receiver']['gpsd']}; back {time.monotonic() - began:.1f} s after it was stopped"
