import NetworkPaths

/// The state of a name's resolution.
public enum Resolution: Equatable, Sendable {
    /// No lookup has succeeded yet.
    case pending
    /// It has these addresses, in the order in which they should be tried; at least one.
    case addresses([HostAddress])
    /// There is no such name.
    case noSuchName
    /// The lookup failed.
    case noAnswer

    /// The state after a lookup's result.
    func after(_ answer: LookupAnswer) -> Resolution {
        switch answer {
        case .addresses(let addresses):
            addresses.isEmpty ? .noSuchName : .addresses(Array(addresses.prefix(Self.maximumAddresses)))
        case .noSuchName: .noSuchName
        case .noAnswer: .noAnswer
        case .postponed: self
        }
    }

    /// The most addresses of a name that are evaluated.
    static let maximumAddresses = 32
}
