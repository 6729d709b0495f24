import NetworkPaths

/// How it stands with a name.
public enum Resolution: Equatable, Sendable {
    /// It has never been answered.
    case pending
    /// It has these addresses, in the order in which they should be tried; at least one.
    case addresses([HostAddress])
    /// There is no such name.
    case noSuchName
    /// Nobody could tell.
    case noAnswer

    /// How it stands after an answer.
    func after(_ answer: LookupAnswer) -> Resolution {
        switch answer {
        case .addresses(let addresses):
            addresses.isEmpty ? .noSuchName : .addresses(Array(addresses.prefix(Self.maximumAddresses)))
        case .noSuchName: .noSuchName
        case .noAnswer: .noAnswer
        case .postponed: self
        }
    }

    /// So many addresses of a name are looked at.
    static let maximumAddresses = 32
}
