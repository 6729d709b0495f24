import Platform

/// A type of settings' values: how they are read, written and described to a person.
public struct ValueType<Value: Equatable & Sendable>: Sendable {
    /// The allowed values, after "Allowed: ".
    public let allowed: String
    /// Reads a text without white space at its ends.
    public let parse: @Sendable (String) throws(ValueError) -> Value
    /// The text that reads back as the same value.
    public let text: @Sendable (Value) -> String

    /// A type of values: the allowed ones, after "Allowed: ", the function that reads a text without white space at its
    /// ends, and the function that writes a value so that it reads back as the same.
    public init(
        allowed: String, parse: @escaping @Sendable (String) throws(ValueError) -> Value,
        text: @escaping @Sendable (Value) -> String
    ) {
        self.allowed = allowed
        self.parse = parse
        self.text = text
    }
}

extension ValueType {
    /// One of some words; `noun` names their kind: "an assurance".
    public static func word(_ noun: String) -> Self
    where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
        word(noun, of: Array(Value.allCases)) { $0.rawValue }
    }

    /// One of these values, each written as a word; `noun` names their kind.
    public static func word(
        _ noun: String, of values: [Value], _ name: @escaping @Sendable (Value) -> String
    ) -> Self {
        let names = values.map(name)
        return Self(
            allowed: names.dropLast().joined(separator: ", ") + " or " + (names.last ?? ""),
            parse: { text throws(ValueError) in
                guard let place = names.firstIndex(of: text) else {
                    throw ValueError("is no \(noun)", suggestion: Spelling.nearest(to: text, among: names))
                }
                return values[place]
            },
            text: name)
    }

    /// Such a value, or none while the setting is absent.
    public static func optional<Wrapped>(_ type: ValueType<Wrapped>) -> Self where Value == Wrapped? {
        Self(
            allowed: type.allowed, parse: { text throws(ValueError) in try type.parse(text) },
            text: { $0.map(type.text) ?? "" })
    }
}

extension ValueType where Value == Bool {
    /// Yes or no, in the words that systemd accepts.
    public static var boolean: Self {
        Self(
            allowed: "yes, no, true, false, on, off, 1 or 0",
            parse: { text throws(ValueError) in
                switch text {
                case "yes", "true", "on", "1": return true
                case "no", "false", "off", "0": return false
                default: throw ValueError("is neither yes nor no")
                }
            },
            text: { $0 ? "yes" : "no" })
    }
}

extension ValueType where Value == Int {
    /// A whole number.
    public static func integer(_ range: ClosedRange<Int>) -> Self {
        Self(
            allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            parse: { text throws(ValueError) in
                guard let number = Int(decimal: text) else { throw ValueError("is not a whole number") }
                guard range.contains(number) else { throw ValueError("is out of range") }
                return number
            },
            text: { String($0) })
    }
}

extension ValueType where Value == Double {
    /// A whole number of a unit; written without it.
    public static func wholeNumber(_ range: ClosedRange<Int>, of unit: String) -> Self {
        let integer = ValueType<Int>.integer(range)
        return Self(
            allowed: integer.allowed + ", in \(unit)",
            parse: { text throws(ValueError) in Double(try integer.parse(text)) },
            text: { integer.text(Int($0)) })
    }
}

extension ValueType where Value == UInt32 {
    /// The permissions of a file, in octal.
    static var fileMode: Self {
        Self(
            allowed: "permissions in octal from 0000 to 0777, such as 0666",
            parse: { text throws(ValueError) in
                guard (3...4).contains(text.utf8.count), let mode = UInt32(decimal: text, radix: 8), mode <= 0o777
                else { throw ValueError("is not a file mode") }
                return mode
            },
            text: { mode in
                let digits = String(mode, radix: 8)
                return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            })
    }
}

extension ValueType where Value == Duration {
    /// A length of time.
    public static func duration(_ shortest: Duration, to longest: Duration) -> Self {
        let (least, most) = (DurationText.text(shortest), DurationText.text(longest))
        return Self(
            allowed: "a duration from \(least) to \(most), in ms, s, min, h or d, as in 1min 30s",
            parse: { text throws(ValueError) in
                let duration = try DurationText.parse(text)
                guard shortest <= duration, duration <= longest else { throw ValueError("is out of range") }
                return duration
            },
            text: durationText)
    }

    /// The text that reads back as this duration.
    public static func durationText(_ duration: Duration) -> String { DurationText.text(duration) }
}

extension ValueType where Value == UInt64 {
    /// A size in bytes.
    public static func size(_ range: ClosedRange<UInt64>) -> Self {
        let (least, most) = (SizeText.text(range.lowerBound), SizeText.text(range.upperBound))
        return Self(
            allowed: "a size from \(least) to \(most), in K, M or G of 1024",
            parse: { text throws(ValueError) in
                let size = try SizeText.parse(text)
                guard range.contains(size) else { throw ValueError("is out of range") }
                return size
            },
            text: SizeText.text)
    }
}

extension ValueType where Value == Platform.Log.Level {
    /// A level of the log.
    static var logLevel: Self { word("log level", of: Platform.Log.Level.allCases) { $0.name } }
}

extension ValueType where Value == GPSDAddress {
    /// An address of gpsd.
    static var gpsdAddress: Self {
        Self(
            allowed: "HOST:PORT, [IPV6]:PORT, unix:PATH or none",
            parse: { text throws(ValueError) in try GPSDAddress(parsing: text) },
            text: { $0.description })
    }
}

extension ValueType where Value == String {
    /// The path of a file or folder, from the root.
    public static var absolutePath: Self { path(maximumBytes: 4_095, allowed: "a path that begins with /") }

    /// The path of a Unix socket: unix(7) leaves it 107 bytes.
    static var socketPath: Self {
        path(maximumBytes: 107, allowed: "a path of at most 107 bytes that begins with /")
    }

    /// A name of the group database, group(5).
    static var groupName: Self {
        Self(
            allowed: "the name of a group: letters, digits, _, - and ., at most 32, not beginning with a digit, - or .",
            parse: { text throws(ValueError) in
                let isName = text.utf8.enumerated().allSatisfy { index, byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "_"):
                        true
                    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): index > 0
                    default: false
                    }
                }
                guard isName, !text.isEmpty, text.utf8.count <= 32 else {
                    throw ValueError("is not the name of a group")
                }
                return text
            },
            text: { $0 })
    }

    private static func path(maximumBytes: Int, allowed: String) -> Self {
        Self(
            allowed: allowed,
            parse: { text throws(ValueError) in
                guard text.hasPrefix("/") else { throw ValueError("is not an absolute path") }
                guard text.utf8.count <= maximumBytes else { throw ValueError("is too long a path") }
                if text.split(separator: "/").contains("..") { throw ValueError("goes upwards with ..") }
                return text
            },
            text: { $0 })
    }
}
