import JSONText

/// The token with which a device identifies itself: random bytes, in hexadecimal digits.
struct DeviceToken {
    static let size = 32
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The token of a header; nil if the header has another scheme, or no token.
    init?(authorization: String) {
        let parts = authorization.utf8.split(separator: UInt8(ascii: " "))
        guard parts.count == 2, parts[0].elementsEqual("bearer".utf8, by: { $0 | 0x20 == $1 }),
            let bytes = HexText.bytes(of: parts[1]), bytes.count == Self.size
        else { return nil }
        self.bytes = bytes
    }

    var text: String { HexText.text(bytes) }
}

/// The code with which an invited device joins: 80 random bits, for a person to type.
struct InvitationCode {
    static let size = 10
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The code that a person has typed; nil if it is none.
    init?(_ typed: String) {
        guard let bytes = Base32.bytes(of: typed, count: Self.size) else { return nil }
        self.bytes = bytes
    }

    var text: String { Base32.text(bytes) }
}
