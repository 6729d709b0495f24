import NetworkPaths

/// What came of looking up a name, getaddrinfo(3).
public enum LookupAnswer: Equatable, Sendable {
    /// It has these addresses, in the order in which they should be tried.
    case addresses([HostAddress])
    /// There is no such name, EAI_NONAME.
    case noSuchName
    /// Nobody could tell: EAI_AGAIN, the time was up, the program failed.
    case noAnswer
    /// Nobody was asked, as there was too much to do or the user has had too many names looked up: what is known, be it
    /// nothing yet, goes on to hold.
    case postponed
}
