/// What can be configured about records.
public struct SyncRules: Equatable, Sendable {
    /// The limits of requests.
    public var limits = Limits()
    /// Seconds for which deletions are known: a client that has not fetched for longer starts again.
    public var deletionAge = 90.0 * 86_400
    /// Seconds for which the answer to a request is repeated.
    public var answerAge = 30.0 * 86_400
    /// Seconds after its latest part for which an uploaded asset is stored that no record has.
    public var uploadAge = 7.0 * 86_400
    /// The most records that are evaluated for a page of a query, whether or not an index has found them.
    public var evaluatedRecords = 10_000

    /// The defaults.
    public init() {}
}
