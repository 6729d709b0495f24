import Cryptography
import Durations
import Platform
import Records

/// The callers of tokens that were checked not long ago, so that most bodies are received without a question to the desk. A
/// request itself is always checked there.
struct KnownTokens {
    private struct Known {
        let caller: Caller
        let until: UInt64
    }

    private let clock: any TimeSource
    /// By the digest of the header.
    private var known: [[UInt8]: Known] = [:]

    private static let most = 16_384
    private static let lifetime = Duration.seconds(60)

    init(clock: any TimeSource) { self.clock = clock }

    /// The caller of a header; nil if it was not checked lately.
    func caller(_ authorization: String) -> Caller? {
        guard let known = known[Self.key(authorization)], known.until > clock.monotonicNanoseconds else { return nil }
        return known.caller
    }

    mutating func remember(_ caller: Caller, _ authorization: String) {
        let now = clock.monotonicNanoseconds
        if known.count >= Self.most { known = known.filter { $0.value.until > now } }
        if known.count >= Self.most { known = [:] }
        known[Self.key(authorization)] = Known(caller: caller, until: now.after(Self.lifetime))
    }

    mutating func forget(_ device: AccountDevice) {
        known = known.filter { $0.value.caller.accountDevice != device }
    }

    private static func key(_ authorization: String) -> [UInt8] { Digest.digest(of: Array(authorization.utf8)) }
}

/// Limits attempts to join: a few at once, then one in a second. A code has 80 random bits, so this only keeps guesses from
/// costing the hub time.
struct JoinLimiter {
    private static let burst = 20.0
    private var available = burst
    private var last: UInt64?

    mutating func admits(at now: UInt64) -> Bool {
        if let last { available = min(Self.burst, available + Double(now &- last) / 1e9) }
        last = now
        guard available >= 1 else { return false }
        available -= 1
        return true
    }
}
