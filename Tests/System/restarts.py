"""The service started again while 100 clients of three apps stream and one records."""

import random
import time
from collections import Counter

from check import check
from crowd import MAY, Crowd, ends, expect_silence
from expectation import eventually, expect
from recording import is_recent, look_at_recording


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
    return (f"{took * 1000:.0f} ms, all streams continue after {streaming * 1000:.0f} ms, {lost} connections lost, "
            f"{after['ferry']['positions']} positions")


@check("over many restarts and crashes under load no position is lost, duplicated or given to unauthorized clients")
def many_restarts(scene):
    times = 10 if scene.is_short else 100
    crowd, witness = Crowd(scene), scene.witness()
    recorder = scene.companion("logbook", "recorder.py", "restarts")
    crowd.streams_again()
    eventually("positions are recorded", lambda: len(recorder.account()["read"]) > 20)
    before = crowd.accounts()
    chance = random.Random(1)
    crashes, crashed, took, lost = Counter(), [], [], 0
    for number in range(times):
        began = time.monotonic()
        if number % 3 == 2:
            process, signal = scene.process(), chance.choice(("SIGKILL", "SIGSEGV", "SIGABRT"))
            crashes[signal] += 1
            crash = time.time()
            scene.kill(signal)
            scene.wait_until_ready(other_than=process)
            crowd.streams_again()
            crashed.append((crash, time.time()))
        else:
            calm = ends(crowd.accounts())
            scene.restart()
            if number % 10 == 5:
                revoke(scene, crowd)
            crowd.streams_again()
            lost += ends(crowd.accounts()) - calm
        took.append(time.monotonic() - began)
        time.sleep(chance.uniform(0, 1))  # The next one finds it doing something else.
    eventually("positions are recorded", lambda: is_recent(recorder.account()["read"]))
    recorded, said, after = recorder.finish(), witness.finish()["times"], crowd.accounts()
    expect_silence(after)
    for app, each in after.items():
        expect(each["repeats"] == 0, f"no position twice for {app}", each)
    if scene.keeps_connections():
        expect(lost == 0, "no connection lost by an orderly restart", after)
        # A `Start` in progress is not made again after a restart: its connection ends, and it is for the client to
        # repeat it.
        others = [(instant, what) for instant, what in recorded["ends"]
                  if what != "starter" and not any(began <= instant < back for began, back in crashed)]
        expect(not others and not recorded["errors"], "those that record lose theirs in crashes only",
               (others, recorded["errors"]))
    missed, longest = look_at_recording(recorded, said)
    if scene.keeps_connections():
        # A crash loses reports that were read and not stored yet, and those that gpsd sent until it was connected
        # again.
        late = [instant for instant in missed if not any(began - 2 < instant < back + 1 for began, back in crashed)]
        expect(not late, "nothing of gpsd's missed but in crashes", late)
    took.sort()
    return (f"{times} restarts, {sum(crashes.values())} of them crashes; streams continue after "
            f"{took[len(took) // 2]:.2f} s (median), {took[-1]:.2f} s (longest); {ends(after) - ends(before)} connections "
            f"lost, {lost} of them by orderly restarts; {len(recorded['read'])} positions recorded, each once; of "
            f"{len(said)} reports of gpsd {len(missed)} were lost in crashes, at most {longest} in a row")


def revoke(scene, crowd):
    """A decision just before a restart holds after it: no position is sent, though streams were open."""
    scene.machine.run("waymark", "authorize", "ferry", "deny")
    before = crowd.ferry.account()["positions"]
    scene.restart()
    eventually("the streams are notified", lambda: crowd.ferry.account()["connected"] == MAY)
    time.sleep(1)  # There is no event for a message that must not arrive.
    after = crowd.ferry.account()
    expect(after["positions"] == before, "no position after the revocation", after)
    scene.machine.run("waymark", "authorize", "ferry", "always")
