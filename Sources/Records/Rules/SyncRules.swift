/// What can be configured about records.
public struct SyncRules: Equatable, Sendable {
    /// The limits of requests.
    public var limits = Limits()
    /// How long deletions are known: a client that has not fetched for longer starts again.
    public var deletionAge = Duration.seconds(90 * 86_400)
    /// How long the answer to a request is repeated.
    public var answerAge = Duration.seconds(30 * 86_400)
    /// How long after its latest part an uploaded asset is stored that no record has.
    public var uploadAge = Duration.seconds(7 * 86_400)
    /// The most records that are evaluated for a page of a query, whether or not an index has found them.
    public var evaluatedRecords = 10_000

    /// The defaults.
    public init() {}
}
