/// What came of trying to reach a host.
public enum ReportedOutcome: String, CaseIterable, Sendable {
    /// It answered, whatever it said.
    case answered
    /// Nobody answered.
    case failed
    /// A portal answered in its place.
    case captive
    /// The network is there, the world behind it is not.
    case limited
}
