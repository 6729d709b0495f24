import NetworkPaths

/// The result of looking up a name, and the lines in which `waymark-resolver` writes it.
///
/// | lines | meaning |
/// | --- | --- |
/// | one address per line, then `found` | the name's addresses, in the order in which they should be tried |
/// | `notFound` | there is no such name, or it has no address |
/// | `tryAgain` | no name server replied |
/// | `failed TEXT` | another failure |
///
/// A result that does not end with one of these words is incomplete and is rejected.
public enum NameAnswer: Equatable, Sendable {
    /// The addresses of the name, in the order in which they should be tried; at least one.
    case addresses([HostAddress])
    /// There is no such name, or it has no address.
    case notFound
    /// No name server replies; the lookup may be repeated.
    case notAnswering
    /// The name cannot be looked up, for a reason that a person can read.
    case failed(String)

    /// The most addresses of one name that are reported.
    public static let mostAddresses = 32
    /// The most bytes of a result's lines.
    public static let mostBytes = 4_096

    private static let mostReasonBytes = 200

    /// The lines of the result.
    public var text: String {
        switch self {
        case .addresses(let addresses):
            (addresses.prefix(Self.mostAddresses).map(\.description) + ["found", ""]).joined(separator: "\n")
        case .notFound: "notFound\n"
        case .notAnswering: "tryAgain\n"
        case .failed(let reason): "failed \(Self.line(reason))\n"
        }
    }

    /// Parses the lines of a result; nil if they are incomplete, too long, or malformed.
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

    /// The reason as one printable line.
    private static func line(_ reason: String) -> String {
        let bytes = reason.utf8.prefix(mostReasonBytes).map { (0x20..<0x7f).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
