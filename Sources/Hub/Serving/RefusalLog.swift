import Durations

/// Which refusals of requests about teams and schemas the log gets: a client can cause as many as it likes, and must neither fill
/// a disk nor hide what others do.
struct RefusalLog {
    /// What is written about a refusal.
    enum Entry: Equatable {
        /// The refusal itself.
        case refusal
        /// That there were more, and no more of them are logged for now.
        case omission
        /// Nothing.
        case nothing
    }

    private static let most = 100
    private static let period = Duration.seconds(60)
    private var count = 0
    private var end: UInt64 = 0

    mutating func entry(at now: UInt64) -> Entry {
        if now >= end { (count, end) = (0, now.after(Self.period)) }
        count += 1
        if count <= Self.most { return .refusal }
        return count == Self.most + 1 ? .omission : .nothing
    }
}
