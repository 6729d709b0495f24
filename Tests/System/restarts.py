"""The service started again while 100 clients stream: three apps, of which one may have positions, and one that records."""

import random
import time
from collections import Counter

from check import check
from expectation import eventually, expect

MAY, PARKED, STRANGERS = 60, 20, 20


class Crowd:
    """The clients, and what they have seen."""

    def __init__(self, scene):
        self.ferry = scene.streams_of("ferry", MAY)
        self.parked = scene.streams_of("parked", PARKED)
        self.stranger = scene.streams_of("stranger", STRANGERS)

    def accounts(self):
        return {"ferry": self.ferry.account(), "parked": self.parked.account(), "stranger": self.stranger.account()}

    def streams_again(self):
        """Waits until every client is connected, and everyone who may gets positions."""
        def all_do():
            silence = self.ferry.account()["silence"]
            return (silence is not None and silence < 0.5
                    and all(each["connected"] == count for each, count in
                            zip(self.accounts().values(), (MAY, PARKED, STRANGERS))))
        eventually("all clients are there, and who may gets positions", all_do, 30,
                   or_show=lambda: str(self.accounts()))


def expect_silence(accounts):
    """Nobody has got what it may not have, and everybody was told why."""
    for app in ("parked", "stranger"):
        expect(accounts[app]["positions"] == 0, f"no position for {app}", accounts[app])
        expect(accounts[app]["replies"] > 0, f"{app} was told something", accounts[app])
    others = set(accounts["stranger"]["errors"]) - {"io.waymark.Location.Denied"}
    expect(not others, "nothing but Denied for those who are", accounts["stranger"])


@check("systemctl restart under 100 streaming clients")
def restart(scene):
    crowd = Crowd(scene)
    crowd.streams_again()
    before = crowd.accounts()
    began = time.monotonic()
    scene.restart()
    took = time.monotonic() - began
    crowd.streams_again()
    streaming = time.monotonic() - began
    after = crowd.accounts()
    expect_silence(after)
    expect(after["ferry"]["repeats"] == 0, "no position twice", after["ferry"])
    lost = ends(after) - ends(before)
    if scene.keeps_connections():
        expect(lost == 0, "no connection lost", after)
    return (f"{took * 1000:.0f} ms, all streams go on after {streaming * 1000:.0f} ms, {lost} connections lost, "
            f"{after['ferry']['positions']} positions")


def ends(accounts):
    return sum(each["ends"] for each in accounts.values())


@check("over many restarts and crashes under load nothing is lost, doubled or let out")
def many_restarts(scene):
    times = 10 if scene.is_short else 100
    crowd, witness = Crowd(scene), scene.witness()
    recorder = scene.companion("logbook", "recorder.py", "restarts")
    crowd.streams_again()
    eventually("positions are recorded", lambda: len(recorder.account()["read"]) > 20)
    before = crowd.accounts()
    chance = random.Random(1)
    crashes, took = Counter(), []
    for number in range(times):
        began = time.monotonic()
        if number % 3 == 2:
            process, signal = scene.process(), chance.choice(("SIGKILL", "SIGSEGV", "SIGABRT"))
            crashes[signal] += 1
            scene.kill(signal)
            scene.wait_until_ready(other_than=process)
        else:
            scene.restart()
        if number % 10 == 5:
            revoke(scene, crowd)
        crowd.streams_again()
        took.append(time.monotonic() - began)
        time.sleep(chance.uniform(0, 1))  # The next one finds it doing something else.
    eventually("positions are recorded", lambda: is_recent(recorder.account()["read"]))
    recorded, said, after = recorder.finish(), witness.finish()["times"], crowd.accounts()
    expect_silence(after)
    for app, each in after.items():
        expect(each["repeats"] == 0, f"no position twice for {app}", each)
    if scene.keeps_connections():
        expect(ends(after) == ends(before) and recorded["ends"] == 0, "no connection lost", (after, recorded["ends"]))
    missed, longest = look_at_recording(recorded, said)
    took.sort()
    return (f"{times} restarts, {sum(crashes.values())} of them crashes; streams go on after {took[len(took) // 2]:.2f} s "
            f"(median), {took[-1]:.2f} s (longest); {ends(after) - ends(before)} connections lost; {len(recorded['read'])} "
            f"positions recorded, each once; of {len(said)} that gpsd said {missed} fell into restarts, at most {longest} "
            f"in a row")


def revoke(scene, crowd):
    """What is decided just before a restart holds after it: no position leaves, though streams were open."""
    scene.machine.run("waymark", "authorize", "ferry", "deny")
    before = crowd.ferry.account()["positions"]
    scene.restart()
    eventually("the streams are told", lambda: crowd.ferry.account()["connected"] == MAY)
    time.sleep(1)  # What must not come cannot be waited for.
    after = crowd.ferry.account()
    expect(after["positions"] == before, "no position after the revocation", after)
    scene.machine.run("waymark", "authorize", "ferry", "always")


def is_recent(read):
    return bool(read) and time.time() - read[-1][1] < 2


def look_at_recording(recorded, said):
    """Every number once, every position once and in order, and none that gpsd did not say. How many of gpsd's are missing,
    and how many of these in a row at most."""
    expect(len(recorded["recordings"]) == 1, "one recording", recorded["recordings"])
    numbers = [number for number, _ in recorded["read"]]
    times = [time for _, time in recorded["read"]]
    expect(numbers == list(range(numbers[0], numbers[0] + len(numbers))), "numbers without a gap",
           [pair for pair in zip(numbers, numbers[1:]) if pair[1] != pair[0] + 1])
    doubles = [pair for pair in zip(times, times[1:]) if pair[1] <= pair[0]]
    expect(not doubles, "each position once, in order", doubles)
    foreign = set(times) - set(said)
    expect(not foreign, "only what gpsd said", sorted(foreign)[:5])
    recorded_times, missed, longest, run = set(times), 0, 0, 0
    for moment in said:
        if not times[0] <= moment <= times[-1]:
            continue
        run = 0 if moment in recorded_times else run + 1
        missed += run > 0
        longest = max(longest, run)
    return missed, longest
