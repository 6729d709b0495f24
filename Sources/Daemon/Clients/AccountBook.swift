import Durations
import Journal
import Platform

/// Binds the data stored for user ids to accounts: a pure state machine fed with the user database's replies.
///
/// | stored data belongs to | the database now has | consequence |
/// | --- | --- | --- |
/// | an account, or none | the same | the data is used |
/// | an account | no such user id, in two checks | `removed`: suspended, erased if it stays missing for long enough |
/// | an account that was removed | the same name, local | `returned`: suspended until an operator decides |
/// | an account that was removed | the same name, from a directory server | the data is used again |
/// | an account | another name, in two checks | `renamed`: suspended until an operator decides |
/// | an account that was removed, or none | another name | `replaced`: suspended, erased after the same time |
/// | an account or none | unknown | nothing |
/// | an account with a known home | the same, with a newer home | `returned`: suspended until an operator decides |
///
/// A first contradiction is only a doubt: it has no effect and must be confirmed by a further check. Therefore, neither
/// one wrong reply nor a database that is being written has any effect. Elapsed time is measured by the boot-time clock
/// between consecutive checks, at most `longestStep` for each, so setting the wall clock erases nothing.
struct AccountBook {
    /// A time by both clocks.
    struct Instant {
        /// Nanoseconds of CLOCK_BOOTTIME.
        var bootNanoseconds: UInt64
        /// Microseconds since 1970, for display.
        var utcMicroseconds: Int64
    }

    /// How the database contradicts the stored data.
    fileprivate enum Contradiction: Equatable {
        case absent
        case other(String)
    }

    fileprivate struct Doubt {
        var contradiction: Contradiction
        var since: UInt64
    }

    fileprivate struct Entry {
        /// Nil until it is known whether an account has this user id.
        var stored: StoredAccount?
        var doubt: Doubt?
        /// When the account was last found missing, in nanoseconds of CLOCK_BOOTTIME; nil after any other reply.
        var missingAt: UInt64?
        /// Missing time that is counted in addition to the stored whole seconds.
        var nanoseconds: UInt64 = 0
        /// Until when an erasure that has failed is not repeated, in nanoseconds of CLOCK_BOOTTIME.
        var repeatsErasureAt: UInt64 = 0
    }

    /// The maximum missing time counted per check: a late check proves nothing about the time before it.
    static let longestStep: UInt64 = 7_200_000_000_000

    /// The delay until another name is checked again. It can be short, because a user id never has two names.
    private static let pauseOfName = Duration.milliseconds(100)

    /// The pause after an erasure that has failed: what refused it, as a full disk, rarely permits it a second later.
    private static let pauseAfterFailure = Duration.seconds(300)

    private var entries: [UInt32: Entry] = [:]

    /// Starts with the stored bindings.
    init(_ stored: [UInt32: StoredAccount] = [:]) {
        entries = stored.mapValues { Entry(stored: $0) }
    }

    /// The number of watched user ids.
    var count: Int { entries.count }

    /// The watched user ids.
    var users: [UInt32] { entries.keys.sorted() }

    /// The binding of a user id; nil if there is none.
    subscript(uid: UInt32) -> StoredAccount? { entries[uid]?.stored }

    /// Whether a user id is watched.
    func isWatched(_ uid: UInt32) -> Bool { entries[uid] != nil }

    /// The user ids whose stored data must not be used.
    var suspended: [UInt32] { entries.filter { $0.value.stored?.isSuspended == true }.keys.sorted() }

    /// Whether a contradiction awaits confirmation.
    func isDoubted(_ uid: UInt32) -> Bool { entries[uid]?.doubt != nil }

    /// The delay until a contradiction is checked again; nil if there is none.
    /// - Parameter confirmation: The delay until a missing account is checked again before it counts as removed.
    func pauseOfDoubt(_ uid: UInt32, confirmation: Duration) -> Duration? {
        entries[uid]?.doubt.map { $0.contradiction == .absent ? confirmation : Self.pauseOfName }
    }

    /// Starts to watch a user id.
    mutating func watch(_ uid: UInt32) {
        if entries[uid] == nil { entries[uid] = Entry() }
    }

    /// Ends watching a user id for which nothing is stored.
    mutating func forget(_ uid: UInt32) { entries[uid] = nil }

    /// Applies a reply of the user database for a watched user id.
    /// - Parameters:
    ///   - confirmation: The delay until a missing account is checked again before it counts as removed.
    ///   - hasStored: Whether other data is stored for the user id, or may be.
    mutating func observe(
        _ uid: UInt32, _ answer: AccountAnswer, at now: Instant, confirmation: Duration, hasStored: Bool
    ) {
        guard var entry = entries[uid] else { return }
        defer { entries[uid] = entry }
        let contradiction: Contradiction
        switch answer {
        case .unknown:
            // An unknown result neither confirms a doubt nor counts as missing time.
            (entry.doubt, entry.missingAt) = (nil, nil)
            return
        case .present(let name, let isLocal):
            guard let stored = entry.stored else { return entry.become(StoredAccount(name: name)) }
            if stored.state == .erased { return entry.become(StoredAccount(name: name)) }
            if stored.name == name { return entry.foundAgain(isLocal: isLocal, at: now) }
            contradiction = .other(name)
        case .absent:
            if entry.stored?.state == .erased { return entry.doubt = nil }
            if let stored = entry.stored, stored.name == nil { return entry.become(StoredAccount(name: nil)) }
            contradiction = .absent
        }
        entry.contradicted(by: contradiction, at: now, confirmation: confirmation, hasStored: hasStored)
    }

    /// Records the birth time of the home of the account that has a user id. A newer home means that the account was
    /// created again. An older one proves nothing, because an account may be assigned an earlier home.
    /// - Parameter birth: Microseconds since 1970; nil if unknown, which has no effect.
    mutating func observeHome(_ uid: UInt32, bornAt birth: Int64?, at now: Instant) {
        guard let birth, let stored = entries[uid]?.stored, stored.state == .present, stored.name != nil else { return }
        guard let known = stored.homeBirth else {
            entries[uid]?.stored?.homeBirth = birth
            return
        }
        guard birth > known else { return }
        entries[uid] = Entry(
            stored: StoredAccount(
                name: stored.name, state: .returned, sinceMicroseconds: now.utcMicroseconds, homeBirth: known))
    }

    /// Whether all data of a user id is to be erased: its account has been missing for long enough and still is.
    func isExpired(_ uid: UInt32, retention: Duration, at now: Instant) -> Bool {
        guard let entry = entries[uid], let stored = entry.stored, entry.missingAt != nil,
            stored.state == .removed || stored.state == .replaced, now.bootNanoseconds >= entry.repeatsErasureAt
        else { return false }
        return Double(stored.absentSeconds) >= retention.seconds
    }

    /// Seconds until the data is erased; nil if it will not be erased automatically.
    func secondsLeft(_ uid: UInt32, retention: Duration) -> Int64? {
        guard let stored = entries[uid]?.stored, stored.state == .removed || stored.state == .replaced else {
            return nil
        }
        return Int64(max(0, (retention.seconds - Double(stored.absentSeconds)).rounded(.up)))
    }

    /// Called when not all data of a user id could be erased.
    mutating func couldNotErase(_ uid: UInt32, at now: Instant) {
        entries[uid]?.repeatsErasureAt = now.bootNanoseconds + Self.pauseAfterFailure.nanoseconds
    }

    /// The pause until an erasure that has failed is repeated; nil if there is none.
    func pauseOfErasure(_ uid: UInt32, at now: Instant) -> Duration? {
        guard let end = entries[uid]?.repeatsErasureAt, end > now.bootNanoseconds else { return nil }
        return .nanoseconds(end - now.bootNanoseconds)
    }

    /// Called when all data of a user id was erased. Its processes get nothing until an account has the user id.
    mutating func erased(_ uid: UInt32, at now: Instant) {
        guard let stored = entries[uid]?.stored else { return }
        switch stored.state {
        case .present: entries[uid] = nil
        case .returned: entries[uid] = Entry(stored: StoredAccount(name: stored.name))
        case .renamed, .replaced: entries[uid] = Entry(stored: StoredAccount(name: stored.otherName))
        case .removed, .erased:
            entries[uid] = Entry(
                stored: StoredAccount(name: stored.name, state: .erased, sinceMicroseconds: now.utcMicroseconds))
        }
    }

    /// Assigns the stored data of a user id to the account with this name.
    mutating func restore(_ uid: UInt32, to name: String) { entries[uid] = Entry(stored: StoredAccount(name: name)) }

}

extension AccountBook.Entry {
    fileprivate mutating func become(_ account: StoredAccount) { self = AccountBook.Entry(stored: account) }

    /// Called when the user id has its former account again.
    fileprivate mutating func foundAgain(isLocal: Bool, at now: AccountBook.Instant) {
        (doubt, missingAt) = (nil, nil)
        guard let stored else { return }
        switch stored.state {
        case .present, .returned, .erased: break
        case .renamed: become(StoredAccount(name: stored.name, homeBirth: stored.homeBirth))
        case .removed, .replaced:
            // An account that a directory server lost temporarily is the same account. In the local file an administrator has
            // created it again.
            become(
                isLocal
                    ? StoredAccount(name: stored.name, state: .returned, sinceMicroseconds: now.utcMicroseconds)
                    : StoredAccount(name: stored.name, homeBirth: stored.homeBirth))
        }
    }

    fileprivate mutating func contradicted(
        by new: AccountBook.Contradiction, at now: AccountBook.Instant, confirmation: Duration, hasStored: Bool
    ) {
        switch (stored?.state, new) {
        case (.removed, .absent): return countMissing(at: now)
        case (.replaced, .other(let name)):
            stored?.otherName = name
            return countMissing(at: now)
        case (.removed, .other(let name)):
            stored?.state = .replaced
            stored?.otherName = name
            return countMissing(at: now)
        case (.returned, .other(let name)):
            return become(suspended(.replaced, name, at: now))
        case (.renamed, .other(let name)):
            doubt = nil
            stored?.otherName = name
            return
        case (.replaced, .absent):
            stored?.state = .removed
            stored?.otherName = nil
            return countMissing(at: now)
        default: break
        }
        let needed = new == .absent ? confirmation.nanoseconds : 0
        guard let doubt, doubt.contradiction == new, now.bootNanoseconds >= doubt.since.addingClamped(needed) else {
            if doubt?.contradiction != new {
                doubt = AccountBook.Doubt(contradiction: new, since: now.bootNanoseconds)
            }
            return
        }
        confirmed(new, at: now, hasStored: hasStored)
    }

    private mutating func confirmed(_ new: AccountBook.Contradiction, at now: AccountBook.Instant, hasStored: Bool) {
        switch (stored, new) {
        case (nil, .absent): become(StoredAccount(name: nil))
        case (nil, .other(let name)): become(StoredAccount(name: name))
        case (_?, .absent):
            become(suspended(hasStored ? .removed : .erased, nil, at: now))
            missingAt = now.bootNanoseconds
        case (let known?, .other(let name)):
            guard hasStored else { return become(StoredAccount(name: name)) }
            become(suspended(known.name == nil ? .replaced : .renamed, name, at: now))
            if known.name == nil { missingAt = now.bootNanoseconds }
        }
    }

    private func suspended(
        _ state: StoredAccount.State, _ otherName: String?, at now: AccountBook.Instant
    ) -> StoredAccount {
        StoredAccount(
            name: stored?.name, state: state, otherName: otherName, sinceMicroseconds: now.utcMicroseconds,
            homeBirth: stored?.homeBirth)
    }

    /// Adds the time since the last check, if that check found the account missing as well.
    private mutating func countMissing(at now: AccountBook.Instant) {
        doubt = nil
        if let missingAt, now.bootNanoseconds > missingAt {
            nanoseconds += min(now.bootNanoseconds - missingAt, AccountBook.longestStep)
            stored?.absentSeconds += Int64(nanoseconds / 1_000_000_000)
            nanoseconds %= 1_000_000_000
        }
        missingAt = now.bootNanoseconds
    }
}
