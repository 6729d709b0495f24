import NetworkPaths

/// The result of looking up a name, getaddrinfo(3).
public enum LookupAnswer: Equatable, Sendable {
    /// The name has these addresses, in the order in which they should be tried.
    case addresses([HostAddress])
    /// There is no such name, EAI_NONAME.
    case noSuchName
    /// The lookup failed: EAI_AGAIN, a timeout, or a failure of the resolver process.
    case noAnswer
    /// The lookup did not run, because of load or because the user has had too many names looked up. The earlier
    /// result, if any, stays valid.
    case postponed
}
