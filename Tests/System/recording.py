"""Compares an app's recording with the reports of gpsd."""

import time

from expectation import expect


def is_recent(read):
    return bool(read) and time.time() - read[-1][1] < 2


def look_at_recording(recorded, said):
    """Every number once, every position once and in order, and none that gpsd did not say. Which of gpsd's are
    missing, and how many of these in a row at most."""
    expect(len(recorded["recordings"]) == 1, "one recording", recorded["recordings"])
    numbers = [number for number, _ in recorded["read"]]
    times = [time for _, time in recorded["read"]]
    expect(numbers == list(range(numbers[0], numbers[0] + len(numbers))), "numbers without a gap",
           [pair for pair in zip(numbers, numbers[1:]) if pair[1] != pair[0] + 1])
    doubles = [pair for pair in zip(times, times[1:]) if pair[1] <= pair[0]]
    expect(not doubles, "each position once, in order", doubles)
    # The witness may have begun to listen after the recorder.
    foreign = {timestamp for timestamp in times if timestamp >= said[0]} - set(said)
    expect(not foreign, "only reports of gpsd", sorted(foreign)[:5])
    recorded_times, missed, longest, run = set(times), [], 0, 0
    for timestamp in said:
        if not times[0] <= timestamp <= times[-1]:
            continue
        run = 0 if timestamp in recorded_times else run + 1
        if run > 0:
            missed.append(timestamp)
        longest = max(longest, run)
    return missed, longest
