import Platform

/// The `Authorization` header line in a secret's memory, from which libcurl reads it.
final class AuthorizationHeader {
    private let line: Secret

    /// The line of RFC 7617 or RFC 6750; nil if the credential needs none.
    init?(_ credential: Credential) throws(HTTPSetupError) {
        switch credential {
        case .none, .certificate: return nil
        case .basic(let secret): line = try Self.line("Basic ", of: secret, isEncoded: true)
        case .bearer(let secret): line = try Self.line("Bearer ", of: secret, isEncoded: false)
        }
    }

    /// The line, terminated by a NUL. It lives as long as this object.
    var text: UnsafeMutablePointer<CChar>? {
        UnsafeMutablePointer(mutating: line.borrowed.baseAddress?.assumingMemoryBound(to: CChar.self))
    }

    private static func line(_ scheme: String, of secret: Secret, isEncoded: Bool) throws(HTTPSetupError) -> Secret {
        let name = "Authorization: \(scheme)"
        let length = try secret.withBytes { bytes throws(HTTPSetupError) in try usableLength(bytes, isEncoded) }
        do throws(SystemError) {
            return try Secret(capacity: name.utf8.count + (length + 2) / 3 * 4 + 1) { line throws(SystemError) in
                line.copyBytes(from: name.utf8)
                let rest = UnsafeMutableRawBufferPointer(rebasing: line[name.utf8.count...])
                let written = secret.withBytes { bytes in
                    let used = UnsafeRawBufferPointer(rebasing: bytes[..<length])
                    if isEncoded { return encode(used, into: rest) }
                    rest.copyMemory(from: used)
                    return length
                }
                rest[written] = 0
                return name.utf8.count + written + 1
            }
        } catch {
            throw .system(error)
        }
    }

    /// The length of a credential without the line feed that editors append.
    private static func usableLength(_ bytes: UnsafeRawBufferPointer, _ isPair: Bool) throws(HTTPSetupError) -> Int {
        var length = bytes.count
        if length > 0, bytes[length - 1] == 0x0A { length -= 1 }
        if length > 0, bytes[length - 1] == 0x0D { length -= 1 }
        let used = bytes[..<length]
        let isUsable =
            isPair
            ? used.contains(UInt8(ascii: ":")) && used.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            : !used.isEmpty && used.allSatisfy { (0x21...0x7E).contains($0) }
        guard isUsable else { throw .unusableCredential }
        return length
    }

    /// Base64 (RFC 4648 section 4), without a copy in memory that is not erased.
    private static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) -> Int {
        var written = 0
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var bits: UInt32 = 0
            for place in 0..<3 { bits = bits << 8 | (place < count ? UInt32(bytes[start + place]) : 0) }
            for place in 0..<4 {
                text[written] = place <= count ? digit(UInt8(bits >> (18 - 6 * UInt32(place)) & 63)) : UInt8(ascii: "=")
                written += 1
            }
        }
        return written
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }
}
