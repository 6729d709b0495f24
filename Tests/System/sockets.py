"""systemctl's operations on the socket and on the service behind it."""

import time

from check import check
from expectation import eventually, expect

PATH = "/run/waymark/waymark.sock"


def answers(scene):
    return scene.machine.run("waymark", "status", check=False).returncode == 0


@check("a service that was stopped is started by the next client")
def starts_on_demand(scene):
    scene.wait_until_ready()
    scene.machine.run("systemctl", "stop", "waymark.service")
    expect(scene.property("ActiveState") == "inactive", "the service has stopped", scene.property("ActiveState"))
    expect(scene.property("ActiveState", "waymark.socket") == "active", "the socket listens",
           scene.property("ActiveState", "waymark.socket"))
    began = time.monotonic()
    expect(answers(scene), "waymark status succeeds", "it is not")
    took = time.monotonic() - began
    scene.wait_until_ready()
    return f"a reply after {took * 1000:.0f} ms"


@check("after systemctl stop of socket and service no client is served, after start all are")
def stops_both(scene):
    scene.wait_until_ready()
    scene.machine.run("systemctl", "stop", "waymark.socket", "waymark.service")
    expect(not scene.machine.exists(PATH), "the socket's file is removed", "it exists")
    reported = scene.machine.run("waymark", "status", check=False)
    expect(reported.returncode == 3, "exit code 3: the daemon does not run", f"{reported.returncode}: {reported.stderr}")
    scene.machine.run("systemctl", "start", "waymark.socket", "waymark.service")
    scene.wait_until_ready()
    expect(answers(scene), "waymark status succeeds", "it is not")
    return f"“{reported.stderr.strip().splitlines()[0]}”"


@check("the socket alone can be stopped and started again")
def restarts_socket(scene):
    scene.wait_until_ready()
    scene.machine.run("systemctl", "stop", "waymark.socket")
    service = scene.property("ActiveState")
    started = scene.machine.run("systemctl", "start", "waymark.socket", check=False)
    expect(started.returncode == 0, "the socket can be started", started.stderr)
    eventually("clients get replies", lambda: answers(scene))
    scene.wait_until_ready()
    scene.machine.run("systemctl", "restart", "waymark.socket")
    eventually("clients get replies after a restart of the socket", lambda: answers(scene))
    return f"the service was {service} meanwhile"


@check("a removed socket is created again by a restart")
def survives_removal(scene):
    scene.wait_until_ready()
    scene.machine.remove(PATH)
    expect(not answers(scene), "no connection is possible", "one is possible")
    scene.machine.run("systemctl", "restart", "waymark.socket", "waymark.service")
    scene.wait_until_ready()
    expect(answers(scene), "waymark status succeeds", "it is not")
    return "systemctl restart waymark.socket waymark.service"
