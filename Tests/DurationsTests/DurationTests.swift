import Durations
import Testing

@Suite struct DurationTests {
    private static let longest = Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999)

    /// Durations and their whole nanoseconds.
    private static let lengths: [(Duration, UInt64)] = [
        (Duration.zero, 0),
        (Duration.nanoseconds(1), 1),
        (Duration.seconds(-1), 0),
        (Duration.nanoseconds(-1), 0),
        (Duration(secondsComponent: 3, attosecondsComponent: 7_000_000_000), 3_000_000_007),
        (Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999), 1),
        // Near the boundary above which the division needs more than 64 bits.
        (Duration(secondsComponent: 9_444, attosecondsComponent: 732_965_739_290_427_391), 9_444_732_965_739),
        (Duration(secondsComponent: 9_444, attosecondsComponent: 732_965_739_290_427_392), 9_444_732_965_739),
        (Duration(secondsComponent: 9_444, attosecondsComponent: 999_999_999_999_999_999), 9_444_999_999_999),
        (Duration(secondsComponent: 9_000, attosecondsComponent: 999_999_999_999_999_999), 9_000_999_999_999),
        // The last duration that fits, and larger ones.
        (Duration(secondsComponent: 18_446_744_073, attosecondsComponent: 709_551_615_000_000_000), UInt64.max),
        (Duration(secondsComponent: 18_446_744_073, attosecondsComponent: 709_551_616_000_000_000), UInt64.max),
        (Duration(secondsComponent: 18_446_744_074, attosecondsComponent: 0), UInt64.max),
        (longest, UInt64.max),
    ]

    @Test(
        arguments: [
            (Duration.seconds(3_600), "1 h"), (.seconds(5_430), "1 h 30 min 30 s"),
            (.milliseconds(1_500), "1 s 500 ms"),
            (.seconds(30 * 86_400), "30 d"), (.zero, "0 s"), (.seconds(-5), "0 s"), (.microseconds(7), "0 s"),
        ])
    func `a duration in words has the largest units first`(_ duration: Duration, _ words: String) {
        #expect(duration.words == words)
        #expect(Self.longest.words.hasPrefix("366000 d"))
    }

    @Test func `a timestamp before a duration has its fraction, and never overflows`() {
        #expect(Int64(10_000_000).before(.milliseconds(1_500)) == 8_500_000)
        #expect(Int64(10_000_000).before(.seconds(-5)) == 10_000_000)
        #expect(Int64(-5).before(Self.longest) < 0 && Int64.min.before(.seconds(1)) == .min)
    }

    @Test func `the duration until an earlier instant is zero`() {
        #expect(UInt64(5).duration(until: 12) == .nanoseconds(7))
        #expect(UInt64(12).duration(until: 5) == .zero)
        #expect(UInt64(0).duration(until: .max) == .nanoseconds(Int64.max))
    }

    @Test(arguments: lengths)
    func `nanoseconds are rounded down and limited to what fits`(_ duration: Duration, _ nanoseconds: UInt64) {
        #expect(duration.nanoseconds == nanoseconds)
        #expect(duration.microseconds == nanoseconds / 1_000)
    }

    @Test func `seconds preserve their fraction and their sign`() {
        #expect(Duration.milliseconds(1_500).seconds == 1.5)
        #expect(Duration.milliseconds(-1_500).seconds == -1.5)
    }

    /// Instants, durations, and the resulting instants.
    private static let sums: [(UInt64, Duration, UInt64)] = [
        (10, Duration.nanoseconds(5), 15),
        (10, Duration.seconds(-5), 10),
        (UInt64.max - 4, Duration.nanoseconds(4), UInt64.max),
        (UInt64.max - 4, Duration.nanoseconds(5), UInt64.max),
        (0, longest, UInt64.max),
    ]

    @Test(arguments: sums)
    func `an instant after a duration never wraps around`(_ instant: UInt64, _ duration: Duration, _ later: UInt64) {
        #expect(instant.after(duration) == later)
    }
}
