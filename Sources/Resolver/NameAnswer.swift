import NetworkPaths

/// What came of looking a name up, and the lines in which `waymark-resolver` says it.
///
/// | lines | meaning |
/// | --- | --- |
/// | an address each, then `found` | the name's addresses, the one to be tried first at the top |
/// | `notFound` | there is no such name, or it has no address |
/// | `tryAgain` | no name server answered |
/// | `failed TEXT` | something else went wrong |
///
/// Without one of these words at its end an answer is cut off, and none.
public enum NameAnswer: Equatable, Sendable {
    /// The addresses of the name, the one to be tried first at the top; at least one.
    case addresses([HostAddress])
    /// There is no such name, or it has no address.
    case notFound
    /// No name server answers; the question may be asked again.
    case notAnswering
    /// It cannot be looked up, for a reason for a person.
    case failed(String)

    /// The most addresses that are told of a name.
    public static let mostAddresses = 32
    /// The most bytes that an answer's lines have.
    public static let mostBytes = 4_096

    private static let mostReasonBytes = 200

    /// The lines of the answer.
    public var text: String {
        switch self {
        case .addresses(let addresses):
            (addresses.prefix(Self.mostAddresses).map(\.description) + ["found", ""]).joined(separator: "\n")
        case .notFound: "notFound\n"
        case .notAnswering: "tryAgain\n"
        case .failed(let reason): "failed \(Self.line(reason))\n"
        }
    }

    /// Reads an answer's lines; nil where they are cut off, too many, or something else.
    public init?(lines: [UInt8]) {
        guard lines.count <= Self.mostBytes, let text = String(validating: lines, as: UTF8.self) else { return nil }
        var rest = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard rest.popLast() == "", let last = rest.popLast() else { return nil }
        if last == "found" {
            let addresses = rest.compactMap { HostAddress(String($0)) }
            guard addresses.count == rest.count, (1...Self.mostAddresses).contains(rest.count) else { return nil }
            self = .addresses(addresses)
            return
        }
        guard rest.isEmpty else { return nil }
        switch last {
        case "notFound": self = .notFound
        case "tryAgain": self = .notAnswering
        case _ where last.hasPrefix("failed "): self = .failed(Self.line(String(last.dropFirst(7))))
        default: return nil
        }
    }

    /// A reason as one line that can be shown.
    private static func line(_ reason: String) -> String {
        let bytes = reason.utf8.prefix(mostReasonBytes).map { (0x20..<0x7f).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
