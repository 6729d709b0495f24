"""The cost of the service for a booting machine, and the data preserved over boots."""

import json
import re

from check import check
from expectation import eventually, expect

# A message of systemd 252 on Linux 6.18 about a service whose process has just ended: no defect of Waymark.
KERNEL_ODDITY = "Failed to kill control group"


def milliseconds(text):
    """Parses a duration of systemd-analyze: 1min 2.345s, 12ms."""
    units = {"min": 60_000, "s": 1000, "ms": 1, "us": 0.001}
    return sum(float(number) * units[unit] for number, unit in re.findall(r"([\d.]+)(min|ms|us|s)", text))


@check("booting, the service is ready soon and delays nothing")
def costs_little(scene):
    scene.machine.reboot()
    scene.wait_until_ready()
    blame = {}
    for line in scene.machine.ask("systemd-analyze", "blame", "--no-pager").splitlines():
        time, unit = line.strip().rsplit(" ", 1)
        blame[unit] = milliseconds(time)
    whole = milliseconds(re.search(r"finished in ([^(]*)", scene.machine.ask("systemd-analyze", "time"))[1])
    ours = {unit: time for unit, time in blame.items() if unit.startswith("waymark")}
    expect("waymark.service" in ours, "waymark.service in systemd-analyze blame", sorted(blame))
    chain = scene.machine.ask("systemd-analyze", "critical-chain", "basic.target", "--no-pager")
    # Whole names: the mount of the service's credentials has the service's name in its own.
    awaited = re.findall(r"^[\s└─]*(\S+) @", chain, re.MULTILINE)
    expect("waymark.service" not in awaited, "nothing that basic.target waits for", chain)
    resident = memory(scene, "VmRSS")
    own = memory(scene, "RssAnon")
    expect(resident < 20_000, "less than 20,000 KiB resident", resident)
    each = ", ".join(f"{unit} {time:.0f} ms" for unit, time in ours.items())
    return f"{each} of {whole:.0f} ms; {resident:,} KiB resident, {own:,} of them its own"


def memory(scene, name):
    """A figure of the daemon's, KiB; proc(5)."""
    status = scene.machine.ask("cat", f"/proc/{scene.process()}/status")
    return int(re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE)[1])


@check("decisions and recordings are preserved over a reboot and a crash of the machine")
def survives(scene):
    scene.decide()
    before = apps(scene)
    witness, recorder = scene.witness(), scene.companion("logbook", "recorder.py", "trip")
    eventually("positions are recorded", lambda: len(recorder.account()["read"]) > 100)
    read = recorder.finish()["read"]
    witness.finish()
    listed = recording(scene)
    reboot = scene.machine.reboot()
    scene.wait_until_ready()
    expect(apps(scene) == before, f"the decisions: {before}", apps(scene))
    after = recording(scene)
    expect(after["id"] == listed["id"] and after["acknowledged"] == listed["acknowledged"] > 0,
           f"the same recording and cursor: {listed}", after)
    recorder = scene.companion("logbook", "recorder.py", "trip")
    eventually("it continues", lambda: last(recorder) > read[-1][0] + 20)
    crash = scene.machine.crash()
    scene.wait_until_ready()
    expect(apps(scene) == before, f"the decisions: {before}", apps(scene))
    recorder = scene.companion("logbook", "recorder.py", "trip")
    eventually("it continues", lambda: len(recorder.account()["read"]) > 60)
    again = recorder.finish()["read"]
    numbers = [number for number, _ in again]
    expect(numbers == list(range(numbers[0], numbers[0] + len(numbers))), "numbers without a gap", numbers)
    # Those that were read before and not acknowledged are read again, and are the same.
    reported = dict(read)
    different = [(number, time) for number, time in again if reported.get(number, time) != time]
    expect(not different, "the same positions under the same numbers", different)
    times = [time for _, time in again]
    expect(times == sorted(set(times)), "each position once, in order", times)
    return (f"{len(before)} decisions, {len(again)} positions from number {numbers[0]} on; up again after "
            f"{reboot:.1f} s and {crash:.1f} s")


@check("ordinary use leaves no warning in the journal")
def is_quiet(scene):
    machine = scene.machine
    scene.wait_until_ready()
    scene.decide()
    streams = scene.streams_of("ferry", 5)
    eventually("positions come", lambda: streams.account()["positions"] > 20)
    machine.run("waymark", "get", "--timeout", "20")
    machine.run("waymark", "doctor")
    machine.run("systemctl", "reload", "waymark.service")
    scene.restart()
    before = streams.account()["positions"]
    eventually("positions come", lambda: streams.account()["positions"] > before + 20)
    lines = machine.ask("journalctl", "--unit=waymark*", "--boot", "--priority=warning", "--output=cat", "--no-pager",
                        "--quiet").splitlines()
    warnings = [line for line in lines if KERNEL_ODDITY not in line]
    expect(not warnings, "no warning and no error", "\n".join(warnings))
    return f"{len(machine.ask('journalctl', '--unit=waymark*', '--boot', '--output=cat', '--quiet').splitlines())} lines"


def last(recorder):
    """The largest number that was read, 0 for none."""
    return max((number for number, _ in recorder.account()["read"]), default=0)


def apps(scene):
    """The decision for each app, by its name and its user's number."""
    reported = [json.loads(line) for line in scene.machine.ask("waymark", "apps", "--json").splitlines()]
    return {(each["id"], each.get("uid")): (each["status"], each["accuracy"]) for each in reported}


def recording(scene):
    """The only recording."""
    (line,) = scene.machine.ask("waymark", "recording", "list", "--json").splitlines()
    return json.loads(line)
