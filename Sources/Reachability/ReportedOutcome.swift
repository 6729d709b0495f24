/// What somebody found who tried to reach a host.
public enum ReportedOutcome: String, CaseIterable, Sendable {
    /// It answered.
    case answered
    /// It did not.
    case failed
    /// A portal answered in its place.
    case captive
    /// The network is there, the world behind it is not.
    case limited
}
