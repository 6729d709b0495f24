import Cryptography
import JSONText
import Platform

/// The key of a copy of records on its route from the daemon to `waymark-sync`: in a sealed box for a pair of keys that
/// `waymark-sync` has made for the connection. So the messages, and the buffers of both programs, have it in no form that can be
/// read.
public enum CopyKeyBox {
    private static let context = Array("waymark copy key".utf8)

    /// The box, in hexadecimal digits; nil for a public key that libsodium refuses.
    public static func seal(_ key: SymmetricKey, for recipient: SealingKeyPair.PublicKey) -> String? {
        recipient.seal(key, context: context).map(HexText.text)
    }

    /// The key in a box; nil if it is for another pair, or was changed.
    public static func open(_ text: String, with pair: SealingKeyPair) throws(SystemError) -> SymmetricKey? {
        guard let box = HexText.bytes(of: text) else { return nil }
        return try pair.open(box, context: context)
    }
}
