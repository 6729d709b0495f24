import Glibc
import Platform

/// Whether a condition becomes true within `seconds`: for conditions without an event to wait for.
///
/// It is evaluated every few milliseconds, on the caller's thread, and once more at the end.
public func eventually(
    within seconds: Double = 120, _ condition: () throws -> Bool
) rethrows -> Bool {
    let deadline = PollDeadline(seconds: seconds)
    while !deadline.hasPassed {
        if try condition() { return true }
        _ = poll(nil, 0, min(5, deadline.remainingMilliseconds))
    }
    return try condition()
}

/// Whether a condition becomes true within `seconds`, without blocking a thread meanwhile.
///
/// The condition runs where the caller runs, so that it may read an actor's state. Only time counts in which a thread is there to
/// evaluate it: tests that block all threads of the pool would otherwise let those fail that wait for nothing but a thread.
public func eventually(
    within seconds: Double = 120, isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws -> Bool {
    let clock = ContinuousClock()
    var remaining = Duration.seconds(seconds)
    var last = clock.now
    while remaining > .zero {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(5))
        let now = clock.now
        remaining -= min(last.duration(to: now), .milliseconds(100))
        last = now
    }
    return try await condition()
}

/// Whether a process of this number exists, as a zombie too, kill(2).
public func processExists(_ processID: pid_t) -> Bool { kill(processID, 0) == 0 || errno == EPERM }
