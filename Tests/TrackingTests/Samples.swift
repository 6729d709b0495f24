import Location
import Tracking

/// 2026-11-21T12:00:00Z, the date of the simulated receivers.
let noon = UTCTime(microseconds: 1_795_262_400_000_000)

/// This many seconds after noon by both clocks.
func instant(_ seconds: Double, isSynchronised: Bool = true) -> Instant {
    Instant(
        monotonicNanoseconds: 1_000_000_000_000 + UInt64(seconds * 1e9), utc: time(seconds),
        isSynchronised: isSynchronised)
}

/// This many seconds after noon.
func time(_ seconds: Double) -> UTCTime {
    UTCTime(microseconds: noon.microseconds + Int64((seconds * 1e6).rounded()))
}

/// A good report this many seconds after noon, from a place in the North Sea.
func report(_ seconds: Double, _ change: (inout TPV) -> Void = { _ in }) -> TPV {
    var tpv = TPV(
        mode: 3, time: time(seconds), latitude: 54.5, longitude: 3.25, altitudeHAE: 45, altitudeMSL: 3, eph: 10,
        epv: 20, track: 90, speed: 2, climb: 0.1, receiver: "/dev/one")
    change(&tpv)
    return tpv
}

extension FixFilter {
    /// The verdict on a report that arrives at its own time.
    mutating func consider(_ seconds: Double, _ change: (inout TPV) -> Void = { _ in }) -> Verdict {
        consider(report(seconds, change), at: instant(seconds))
    }
}

extension FixFilter.Verdict {
    var fix: Fix? {
        if case .fix(let fix) = self { fix } else { nil }
    }

    var reason: Rejection? {
        if case .rejected(let reason) = self { reason } else { nil }
    }
}
