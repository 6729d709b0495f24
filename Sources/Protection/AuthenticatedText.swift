import Cryptography
import JSONText

/// The form of the files that the machine's secret authenticates: a first line `waymark KIND FORMAT MACHINE CODE`, and a body.
/// MACHINE is the name of the secret, and CODE authenticates the body.
struct AuthenticatedText {
    /// The word for the kind of file.
    let kind: String
    /// The purpose of the code, 16 bytes.
    let purpose: StaticString
    /// The latest format that this release reads, and writes unless something else is said.
    let format: Int

    /// Why a text is not accepted.
    enum Flaw: Error, Equatable {
        case other
        case laterFormat(Int)
        case otherMachine
        case changed
    }

    /// The text with this body.
    func text(_ body: [UInt8], machine: SymmetricKey, format: Int? = nil) -> [UInt8] {
        let code = HexText.text(machine.code(for: purpose, of: body))
        let line = "waymark \(kind) \(format ?? self.format) \(MachineIdentity.name(of: machine)) \(code)\n"
        return Array(line.utf8) + body
    }

    /// The name of the machine's secret in the first line of a text; nil if it is none of these texts.
    static func machineName(in text: [UInt8]) -> String? {
        let words = String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self).split(
            separator: " ", omittingEmptySubsequences: false)
        return words.count == 5 && words[0] == "waymark" ? String(words[3]) : nil
    }

    /// The body of a text.
    func body(of text: [UInt8], machine: SymmetricKey) throws(Flaw) -> [UInt8] {
        guard let end = text.firstIndex(of: UInt8(ascii: "\n")) else { throw .other }
        let words = String(decoding: text[..<end], as: UTF8.self).split(
            separator: " ", omittingEmptySubsequences: false)
        guard words.count == 5, words[0] == "waymark", words[1] == kind, let format = Int(words[2]), format > 0 else {
            throw .other
        }
        guard format <= self.format else { throw .laterFormat(format) }
        guard words[3] == MachineIdentity.name(of: machine) else { throw .otherMachine }
        let body = Array(text[(end + 1)...])
        guard let code = HexText.bytes(of: String(words[4])), code.isSameCode(as: machine.code(for: purpose, of: body))
        else { throw .changed }
        return body
    }
}
