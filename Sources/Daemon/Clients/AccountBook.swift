import Durations
import Journal
import Platform

/// To which accounts what is stored of user ids belongs, and what follows from what the user database says: purely.
///
/// | what is stored belongs to | the database has now | what follows |
/// | --- | --- | --- |
/// | an account, or none | the same | it is used |
/// | an account | no such user id, twice apart | `removed`: suspended, erased after a time in which every check found it missing |
/// | an account that was removed | the same name | `returned`: suspended until an operator decides, where the name is the machine's own; used again where a directory server has it |
/// | an account | another name, twice | `renamed`: suspended until an operator decides |
/// | an account that was removed, or none | another name | `replaced`: suspended, erased after the same time |
/// | an account or none | unknown | nothing |
/// | an account whose home is as old as was noted | the same, and a younger home | `returned`: suspended until an operator decides |
///
/// A first contradiction is only a doubt: it changes nothing, and has to be found again. So neither one wrong answer nor a
/// database that is written at this instant stops anything. Time that passes is counted by the boot-time clock between checks
/// that follow each other, at most `longestStep` for each: a wall clock that is set erases nothing.
struct AccountBook {
    /// An instant by both clocks.
    struct Instant {
        /// Nanoseconds of CLOCK_BOOTTIME.
        var bootNanoseconds: UInt64
        /// Microseconds since 1970, for people.
        var utcMicroseconds: Int64
    }

    /// What contradicts what is known.
    fileprivate enum Contradiction: Equatable {
        case absent
        case other(String)
    }

    fileprivate struct Doubt {
        var contradiction: Contradiction
        var since: UInt64
    }

    fileprivate struct Entry {
        /// Nil until it is known whether an account has the number.
        var stored: StoredAccount?
        var doubt: Doubt?
        /// When the account was last found to be missing, where no other answer came since, in nanoseconds of CLOCK_BOOTTIME.
        var missingAt: UInt64?
        /// What is counted beside the whole seconds.
        var nanoseconds: UInt64 = 0
    }

    /// The most that one check counts as missing: a check that is late proves nothing about the time before.
    static let longestStep: UInt64 = 7_200_000_000_000

    /// After which time another name is looked up again. A number cannot have two, so it needs not long.
    private static let pauseOfName = Duration.milliseconds(100)

    private var entries: [UInt32: Entry] = [:]

    /// What was stored.
    init(_ stored: [UInt32: StoredAccount] = [:]) {
        entries = stored.mapValues { Entry(stored: $0) }
    }

    /// How many user ids are watched.
    var count: Int { entries.count }

    /// The user ids that are watched.
    var users: [UInt32] { entries.keys.sorted() }

    /// What is known of a user id; nil where nothing is.
    subscript(uid: UInt32) -> StoredAccount? { entries[uid]?.stored }

    /// Whether a user id is watched.
    func isWatched(_ uid: UInt32) -> Bool { entries[uid] != nil }

    /// The user ids of which nothing that is stored may be used.
    var suspended: [UInt32] { entries.filter { $0.value.stored?.isSuspended == true }.keys.sorted() }

    /// Whether something about a user id has to be found again.
    func isDoubted(_ uid: UInt32) -> Bool { entries[uid]?.doubt != nil }

    /// After which time something about a user id has to be found again; nil where nothing has.
    /// - Parameter confirmation: how much later an account has to be missing again until it counts as removed.
    func pauseOfDoubt(_ uid: UInt32, confirmation: Duration) -> Duration? {
        entries[uid]?.doubt.map { $0.contradiction == .absent ? confirmation : Self.pauseOfName }
    }

    /// Watches a user id from now on.
    mutating func watch(_ uid: UInt32) {
        if entries[uid] == nil { entries[uid] = Entry() }
    }

    /// Watches a user id no longer, of which nothing is stored.
    mutating func forget(_ uid: UInt32) { entries[uid] = nil }

    /// Notes what the user database says of a user id that is watched.
    /// - Parameters:
    ///   - confirmation: how much later an account has to be missing again until it counts as removed.
    ///   - hasStored: whether something is stored of the user id beside this.
    mutating func observe(
        _ uid: UInt32, _ answer: AccountAnswer, at now: Instant, confirmation: Duration, hasStored: Bool
    ) {
        guard var entry = entries[uid] else { return }
        defer { entries[uid] = entry }
        let contradiction: Contradiction
        switch answer {
        case .unknown:
            // Neither confirms a doubt nor counts as a time in which the account was missing.
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

    /// Notes when the home of the account that has a user id was made. A home that is younger than it was is that of an account
    /// which was made anew, and an older one proves nothing: an account may be given an earlier home again.
    /// - Parameter birth: in microseconds since 1970; nil where it is not known, which changes nothing.
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

    /// Whether everything that is stored of a user id is to be erased: its account was missing for long enough, and is now.
    func isExpired(_ uid: UInt32, retention: Duration) -> Bool {
        guard let entry = entries[uid], let stored = entry.stored, entry.missingAt != nil,
            stored.state == .removed || stored.state == .replaced
        else { return false }
        return stored.absentSeconds >= retention.components.seconds
    }

    /// In how many seconds that will be; nil where it will not be by itself.
    func secondsLeft(_ uid: UInt32, retention: Duration) -> Int64? {
        guard let stored = entries[uid]?.stored, stored.state == .removed || stored.state == .replaced else {
            return nil
        }
        return max(0, retention.components.seconds - stored.absentSeconds)
    }

    /// Everything that was stored of a user id has been erased. Its processes have nothing until an account has the number.
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

    /// What is stored of a user id belongs to the account of this name from now on.
    mutating func restore(_ uid: UInt32, to name: String) { entries[uid] = Entry(stored: StoredAccount(name: name)) }

}

extension AccountBook.Entry {
    fileprivate mutating func become(_ account: StoredAccount) { self = AccountBook.Entry(stored: account) }

    /// The account that it belongs to has the number.
    fileprivate mutating func foundAgain(isLocal: Bool, at now: AccountBook.Instant) {
        (doubt, missingAt) = (nil, nil)
        guard let stored else { return }
        switch stored.state {
        case .present, .returned, .erased: break
        case .renamed: become(StoredAccount(name: stored.name, homeBirth: stored.homeBirth))
        case .removed, .replaced:
            // A directory server that has lost an account for a while has it again. In the machine's own file somebody has made
            // it anew.
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

    /// Counts the time since the last check, where that found the account missing as well.
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
