import Cryptography
import JSONText
import Platform
import Records

/// The identifier of an account for the apps of one container: the same on all machines of the account. From the identifier of one
/// container nobody can compute that of another one without the account's key, which no app receives.
enum AccountIdentifier {
    /// A UUID (RFC 9562, version 8): 122 bits of BLAKE2b of the container's name, with the account's key. Nil for a key that has not
    /// 32 bytes.
    static func text(of container: ContainerName, key: [UInt8]) throws(SystemError) -> String? {
        guard let key = try SymmetricKey(copying: key) else { return nil }
        var bytes = Array(key.code(for: "waymark acct id ", of: Array(container.text.utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let text = HexText.text(bytes)
        var parts: [Substring] = []
        var rest = text[...]
        for count in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return parts.joined(separator: "-")
    }
}
