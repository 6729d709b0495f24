/// An NMEA 0183 sentence: an address (talker and formatter, such as GP and RMC), fields, and a checksum.
public struct Sentence: Equatable, Sendable {
    /// The text between `$` and `*`.
    public let body: String

    /// A sentence with this address, such as `GPRMC` or `PMTK010`, and these fields.
    public init(_ address: String, _ fields: [String]) {
        body = ([address] + fields).joined(separator: ",")
    }

    /// The exclusive or of all characters between `$` and `*` (NMEA 0183, checksum field).
    public var checksum: UInt8 { body.utf8.reduce(0, ^) }

    /// The line, without its end.
    public var text: String { "$" + body + "*" + Self.hexadecimal(checksum) }

    /// Two hexadecimal digits, as in the standard.
    static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.utf8.count < 2 ? "0" + digits : digits
    }
}
