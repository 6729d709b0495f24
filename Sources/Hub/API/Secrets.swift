import JSONText

/// The token with which a device identifies itself: random bytes, in hexadecimal digits.
struct DeviceToken {
    static let size = 32
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The token of a header; nil if the header has another scheme, or no token.
    init?(authorization: String) {
        let parts = authorization.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer", let bytes = HexText.bytes(of: String(parts[1])),
            bytes.count == Self.size
        else { return nil }
        self.bytes = bytes
    }

    var text: String { HexText.text(bytes) }
}

/// The code with which an invited device joins: 80 random bits in groups of four letters and digits, without those that are
/// mistaken for others (Crockford's base 32). It is for a person to type, in capital or small letters, with any separators.
struct InvitationCode {
    static let size = 10
    let bytes: [UInt8]

    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The code that a person has typed; nil if it is none.
    init?(_ typed: String) {
        var values: [UInt8] = []
        for byte in typed.uppercased().utf8 {
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: " "): continue
            case UInt8(ascii: "O"): values.append(0)
            case UInt8(ascii: "I"), UInt8(ascii: "L"): values.append(1)
            default:
                guard let value = Self.digits.firstIndex(of: byte) else { return nil }
                values.append(UInt8(value))
            }
        }
        guard values.count == Self.size * 8 / 5 else { return nil }
        bytes = stride(from: 0, to: values.count, by: 8).flatMap { start in
            let bits = values[start..<start + 8].reduce(UInt64(0)) { $0 << 5 | UInt64($1) }
            return (0..<5).map { UInt8(truncatingIfNeeded: bits >> (32 - 8 * UInt64($0))) }
        }
    }

    var text: String {
        let digits = stride(from: 0, to: bytes.count, by: 5).flatMap { start in
            let bits = bytes[start..<start + 5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return (0..<8).map { Self.digits[Int(bits >> (35 - 5 * UInt64($0)) & 31)] }
        }
        return stride(from: 0, to: digits.count, by: 4)
            .map { String(decoding: digits[$0..<$0 + 4], as: UTF8.self) }.joined(separator: "-")
    }
}
