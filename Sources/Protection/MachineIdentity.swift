import Cryptography
import JSONText

/// A name of the machine's secret, by which another secret is detected. It reveals nothing about the secret.
public enum MachineIdentity {
    /// Sixteen hexadecimal digits.
    public static func name(of machine: SymmetricKey) -> String {
        HexText.text(Array(machine.code(for: "waymark machine ", of: []).prefix(8)))
    }

    /// The name of the secret that authenticates a file of keys or a record of attempts; nil for another text. Nothing else of
    /// the text is examined.
    public static func name(in text: [UInt8]) -> String? { AuthenticatedText.machineName(in: text) }
}
