import Durations
import Records

/// Which refusals of requests about teams and schemas the log gets. A client can cause as many as it likes, and must neither fill
/// a disk nor displace what the log has about other accounts: each account has a number of its own in a minute.
struct RefusalLog {
    /// What is written about a refusal.
    enum Entry: Equatable {
        /// The refusal itself.
        case refusal
        /// That the account has caused more, and no more of them are logged for now.
        case omission
        /// Nothing.
        case nothing
    }

    private static let most = 100
    private static let period = Duration.seconds(60)
    /// By account, of which a hub has as many as it has people. Nil is the administrator.
    private var counts: [AccountID?: Int] = [:]
    private var end: UInt64 = 0

    /// What is written about another refusal of an account, nil for the administrator, at an instant in nanoseconds of
    /// CLOCK_MONOTONIC.
    mutating func entry(of account: AccountID?, at now: UInt64) -> Entry {
        if now >= end { (counts, end) = ([:], now.after(Self.period)) }
        let count = counts[account, default: 0] + 1
        counts[account] = count
        if count <= Self.most { return .refusal }
        return count == Self.most + 1 ? .omission : .nothing
    }
}
