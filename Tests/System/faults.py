"""Clients and daemons that die."""

import json
import time

from check import check
from expectation import eventually, expect

# Short, so that the check is short; the setting of the unit is checked as well.
WATCHDOG = "[Service]\nWatchdogSec=2s\n"
DROP_IN = "/run/systemd/system/waymark.service.d/watchdog.conf"
CLIENTS = 20
CRASHES = 12


def ferry(scene):
    """Streams that are there for all of these checks, and get positions."""
    found = scene.streams_of("ferry", CLIENTS)
    eventually("every stream gets positions", lambda: is_streaming(found))
    return found


def is_streaming(streams):
    account = streams.account()
    return account["connected"] == CLIENTS and account["silence"] is not None and account["silence"] < 1


def crash(scene, streams, signal):
    """Ends the daemon with a signal, and returns the seconds until it was ready again, and until all streams continued."""
    process = scene.process()
    began = time.monotonic()
    scene.kill(signal)
    scene.wait_until_ready(other_than=process)
    ready = time.monotonic() - began
    eventually("every stream continues", lambda: is_streaming(streams), or_show=lambda: str(streams.account()))
    return ready, time.monotonic() - began


@check("a client that is killed disturbs no other")
def client_killed(scene):
    streams = ferry(scene)
    victims = scene.streams("logbook", CLIENTS)
    eventually("the others stream", lambda: is_streaming(victims))
    before, connections = streams.account(), scene.status()["clients"]["connections"]
    began = time.monotonic()
    scene.machine.run("systemctl", "kill", "--signal=KILL", "logbook.service")
    eventually("the daemon has closed their connections",
               lambda: scene.status()["clients"]["connections"] <= connections - CLIENTS)
    closed = time.monotonic() - began
    eventually("others get positions", lambda: streams.account()["fewest"] >= before["fewest"] + 10)
    after = streams.account()
    expect(after["ends"] == before["ends"] and after["dropped"] == before["dropped"], f"as before: {before}", after)
    return f"{CLIENTS} connections closed after {closed * 1000:.0f} ms, {CLIENTS} others continued"


@check("a daemon that dies of SIGKILL, SIGSEGV or SIGABRT is started again, and its clients reconnect")
def daemon_killed(scene):
    streams = ferry(scene)
    figures = []
    for signal in ("SIGKILL", "SIGSEGV", "SIGABRT"):
        ends, restarts = streams.account()["ends"], int(scene.property("NRestarts"))
        ready, streaming = crash(scene, streams, signal)
        expect(int(scene.property("NRestarts")) == restarts + 1, "a restart by systemd, not by the next client",
               f"{restarts} restarts before it, {scene.property('NRestarts')} after it")
        account = streams.account()
        expect(account["ends"] >= ends + CLIENTS, "a crash closes every connection", account)
        expect(account["repeats"] == 0, "no position twice", account)
        figures.append(f"{signal} ready after {ready:.2f} s, {CLIENTS} streams after {streaming:.2f} s, "
                       f"{account['ends'] - ends} connections lost")
    return "; ".join(figures)


@check("a client that dies while the daemon is stopped is forgotten")
def client_dies_meanwhile(scene):
    streams = ferry(scene)
    victims = scene.streams("logbook", CLIENTS)
    eventually("the others stream", lambda: is_streaming(victims))
    process = scene.process()
    scene.kill("SIGKILL")
    scene.machine.run("systemctl", "kill", "--signal=KILL", "logbook.service")
    scene.wait_until_ready(other_than=process)
    eventually("every stream continues", lambda: is_streaming(streams))
    # The command that queries the status has one, waymark-waker one for orders and one for reports, and waymark-sync
    # one for the key of its copy.
    eventually("theirs are the only connections", lambda: scene.status()["clients"]["connections"] <= CLIENTS + 4,
               or_show=lambda: str(scene.status()["clients"]))
    apps = scene.machine.ask("waymark", "apps", "--json")
    logbook = next(json.loads(line) for line in apps.splitlines() if '"logbook"' in line)
    expect(logbook["processes"] == 0 and not logbook["isInUse"], "no process of the app", logbook)
    return f"{CLIENTS} connections closed, {CLIENTS} others continued"


@check("a daemon that hangs until its watchdog expires is started again")
def daemon_stopped(scene):
    streams = ferry(scene)
    period = int(scene.machine.ask("systemctl", "show", "-p", "WatchdogUSec", "--value", "--timestamp=us",
                                   "waymark.service").removesuffix("s") or 0)
    expect(0 < period <= 60, "a watchdog of at most 60 s", period)
    scene.machine.write(DROP_IN, WATCHDOG)
    try:
        scene.machine.run("systemctl", "daemon-reload")
        scene.restart()
        eventually("every stream gets positions", lambda: is_streaming(streams))
        ready, streaming = crash(scene, streams, "SIGSTOP")
        result = scene.machine.ask("journalctl", "--unit=waymark.service", "--grep=watchdog", "--no-pager", "--lines=3")
        expect("atchdog" in result, "systemd reports the watchdog", result)
    finally:
        scene.machine.remove(DROP_IN)
        scene.machine.run("systemctl", "daemon-reload")
    return (f"with a watchdog of 2 s ready after {ready:.2f} s, {CLIENTS} streams after {streaming:.2f} s; "
            f"the unit has {period} s")


@check("a daemon that dies repeatedly is always started again", is_long=True)
def daemon_dies_often(scene):
    streams = ferry(scene)
    scene.machine.run("systemctl", "reset-failed", "waymark.service")
    before = int(scene.property("NRestarts"))
    began = time.monotonic()
    for _ in range(CRASHES):
        process = scene.wait_until_ready()
        scene.kill("SIGKILL")
        eventually("it ends", lambda: scene.process() != process)
    scene.wait_until_ready()
    eventually("every stream continues", lambda: is_streaming(streams))
    restarts = int(scene.property("NRestarts")) - before
    return f"{restarts} restarts in {time.monotonic() - began:.1f} s, {CLIENTS} streams there"
