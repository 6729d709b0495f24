import Glibc
import Interfaces
import Platform
import Varlink

/// The daemon's interfaces in a past or the present protocol: a file of Tests/Fixtures/protocol, without comments and
/// with a definition on each line. Released protocols stay unchanged, since clients and daemons with them are in use.
public struct PinnedProtocol: Equatable {
    /// Which one.
    public let number: Int
    /// The texts of its interfaces, in order.
    public let texts: [String]

    /// The protocol of this number as it was pinned.
    public init(_ number: Int) throws {
        self.number = number
        let path = try Products.fixture("protocol/\(number).varlink")
        let whole = String(decoding: try BoundedFile.bytes(of: path, limit: 1 << 20), as: UTF8.self)
        texts = whole.split(separator: "\n\n").map { $0.hasSuffix("\n") ? String($0) : "\($0)\n" }
    }

    /// A protocol of this number with these texts.
    public init(number: Int, texts: [String]) {
        self.number = number
        self.texts = texts
    }

    /// The present interfaces, beginning with those of every service.
    public static var present: PinnedProtocol {
        let texts = [ServiceInfo.interfaceText] + WaymarkInterface.allCases.map(\.text)
        return PinnedProtocol(number: WaymarkVersion.protocolNumber, texts: texts.map(bare))
    }

    /// The interface of this name; nil where the protocol has none.
    public func text(of name: String) -> String? { texts.first { $0.hasPrefix("interface \(name)\n") } }

    /// Pins it.
    public func write() throws {
        let path = try Products.file("Tests/Fixtures/protocol") + "/\(number).varlink"
        let bytes = Array(texts.joined(separator: "\n").utf8)
        let file = try OwnedDescriptor("open", subject: path) {
            open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        }
        _ = try retrying("write", subject: path) { Glibc.write(file.number, bytes, bytes.count) }
    }

    /// An interface's text without comments, a definition on each line.
    private static func bare(_ text: String) -> String {
        var lines: [String] = []
        for line in text.split(separator: "\n") {
            let words = line.prefix { $0 != "#" }.split(separator: " ").joined(separator: " ")
            if words.isEmpty { continue }
            let begins = ["interface ", "type ", "method ", "error "].contains(where: words.hasPrefix)
            if begins || lines.isEmpty { lines.append(words) } else { lines[lines.count - 1] += " " + words }
        }
        return lines.map { $0.replacing("( ", with: "(").replacing(" )", with: ")") + "\n" }.joined()
    }
}
