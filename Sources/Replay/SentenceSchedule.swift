/// Derives when each sentence of a recording is due, from the times of day in the sentences.
///
/// A sentence without a time is due together with the one before it. For two successive times of day:
///
/// | step | interpretation | due after |
/// | --- | --- | --- |
/// | 12:00:00 to 12:00:01 | forwards | 1 s |
/// | 23:59:59 to 00:00:00 | forwards over midnight | 1 s |
/// | 12:00:00 to 12:04:00 | forwards, a receiver that saves power or a gap (up to 10 min) | 240 s |
/// | 12:00:00 to 12:30:00 | the receiver's clock was set, or another log was appended | 1 s |
/// | 12:00:01 to 12:00:00 | late sentence of the same burst (up to 10 s back) | 0 s |
/// | 12:30:00 to 12:00:00 | the log begins again | 1 s |
///
/// A receiver without a fix still reports the time, so a longer step is seldom a real pause. A replay should not pause
/// for hours because a receiver started with a wrong clock.
struct SentenceSchedule {
    /// Whether any sentence contained a time.
    private(set) var hasTimes = false
    private var offsetNanoseconds: UInt64 = 0
    private var previous: UInt64?

    private static let day: UInt64 = 86_400_000_000_000
    private static let second: UInt64 = 1_000_000_000
    /// The longest step that is replayed as a pause: 10 minutes in nanoseconds.
    static let longestSilence: UInt64 = 600_000_000_000

    /// When the next sentence is due, in nanoseconds after the start of the recording.
    mutating func offset(of sentence: ArraySlice<UInt8>) -> UInt64 {
        guard let time = Self.timeOfDay(sentence) else { return offsetNanoseconds }
        hasTimes = true
        guard let last = previous else {
            previous = time
            return 0
        }
        let forwards = (time + Self.day - last) % Self.day
        let isLate = forwards != 0 && Self.day - forwards <= 10 * Self.second
        if !isLate {
            offsetNanoseconds += forwards <= Self.longestSilence ? forwards : Self.second
            previous = time
        }
        return offsetNanoseconds
    }

    /// The time of day in nanoseconds in an RMC, GGA, ZDA, GNS (first field) or GLL (fifth field) sentence; nil for any
    /// other sentence, and if the field is empty or invalid.
    static func timeOfDay(_ sentence: ArraySlice<UInt8>) -> UInt64? {
        let fields = sentence.split(separator: UInt8(ascii: ","), maxSplits: 6, omittingEmptySubsequences: false)
        guard let name = fields.first, name.count == 6, name.first == UInt8(ascii: "$") else { return nil }
        let position: Int
        switch String(decoding: name.suffix(3), as: UTF8.self) {
        case "RMC", "GGA", "ZDA", "GNS": position = 1
        case "GLL": position = 5
        default: return nil
        }
        guard fields.count > position else { return nil }
        return parse(fields[position])
    }

    /// `hhmmss` with an optional fraction, of which nine digits are used.
    private static func parse(_ field: ArraySlice<UInt8>) -> UInt64? {
        let parts = field.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, whole.count == 6, let digits = number(whole) else { return nil }
        let (hours, minutes, seconds) = (digits / 10_000, digits / 100 % 100, digits % 100)
        // 60 is a leap second.
        guard hours < 24, minutes < 60, seconds <= 60 else { return nil }
        var nanoseconds = (hours * 3_600 + minutes * 60 + seconds) * second
        if parts.count == 2 {
            let fraction = parts[1].prefix(9)
            guard let value = fraction.isEmpty ? 0 : number(fraction) else { return nil }
            nanoseconds += (fraction.count..<9).reduce(value) { scaled, _ in scaled * 10 }
        }
        return nanoseconds % day
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + UInt64(digit - UInt8(ascii: "0"))
        }
        return value
    }
}
