/// The outcome of an attempt to reach a host.
public enum ReportedOutcome: String, CaseIterable, Sendable {
    /// The host replied, with whatever reply.
    case answered
    /// There was no reply.
    case failed
    /// A captive portal replied in the host's place.
    case captive
    /// The local network works, but the world behind it cannot be reached.
    case limited
}
