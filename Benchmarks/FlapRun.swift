import Glibc
import Platform

/// Losses and gains of the default route, a number of times, observed by several listeners.
struct FlapRun {
    /// The daemon evaluates no more often than 20 times a second, so that changes closer together would measure its
    /// budget and not its speed.
    static let interval: UInt64 = 60_000_000

    private(set) var changes: [RouteSwitch.Change] = []

    /// Makes the changes: a loss and a gain each time, with a pause of this number of nanoseconds before each.
    mutating func flap(_ count: Int, every interval: UInt64 = Self.interval) throws {
        var route = try RouteSwitch()
        var due = SystemClock().monotonicNanoseconds
        for _ in 0..<count {
            due += interval
            Self.sleep(until: due)
            changes.append(try route.lose())
            due += interval
            Self.sleep(until: due)
            changes.append(try route.gain())
        }
        _ = poll(nil, 0, Int32(interval / 1_000_000))
    }

    /// Adds a change that somebody else made.
    mutating func add(_ change: RouteSwitch.Change) { changes.append(change) }

    /// The delay of each notification to a listener, in microseconds, and the number of changes without a notification
    /// before the next one.
    func latencies(_ testimony: Testimony) -> Latencies {
        var latencies = Latencies()
        for isLoss in [true, false] {
            var instants = (isLoss ? testimony.losses : testimony.gains)[...]
            for (index, change) in changes.enumerated() where change.isLoss == isLoss {
                instants = instants.drop { $0 < change.before }
                let next = index + 1 < changes.count ? changes[index + 1].before : .max
                if let instant = instants.first, instant < next {
                    latencies.add(Double(instant - change.before) / 1_000, isLoss: isLoss)
                } else {
                    latencies.missed += 1
                }
            }
        }
        return latencies
    }

    static func sleep(until nanoseconds: UInt64) {
        var instant = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &instant, nil) == EINTR {}
    }
}
