import Durations
import Glibc
import Platform

/// Which user ids belong to accounts of the user database, passwd(5) and the name services beside it.
///
/// What `/etc/passwd` has is known at once, and noticed when it changes. Every other user id is looked up on a thread, as a
/// directory server may not answer: until then, and where the database does not have it, it belongs to no account. Such are
/// the ids of containers and of subordinate ranges, subuid(5), of which one account may have 65,536.
@DaemonActor
final class UserAccounts {

    /// Whether a user id is one of an account of which something is stored: it is not to wait for others.
    var isImportant: @DaemonActor (UInt32) -> Bool = { _ in false }

    /// What was found of a user id that `/etc/passwd` does not have.
    private struct Finding {
        var name: String?
        /// When it is looked up again, at the next need, in nanoseconds of CLOCK_MONOTONIC.
        var expiresAt: UInt64
    }

    private let changes: Changes
    private let path: String
    private let clock: any TimeSource
    private let lookUp: @Sendable (UInt32) -> AccountAnswer
    private var local: [UInt32: String] = [:]
    /// Why the file cannot be believed; nil where it can.
    private var problem: String?
    private var waiters: [UInt32: [@DaemonActor (AccountAnswer) -> Void]] = [:]
    private var others: [UInt32: Finding] = [:]
    private var queue = AccountQueue()
    private var watcher: DirectoryWatcher?

    /// Of how many user ids the answers are remembered.
    private static let mostRemembered = 16_384
    /// How long an answer holds.
    private static let holding: UInt64 = 60_000_000_000
    /// No user database of a machine's own is larger.
    private static let mostBytes = 4 << 20
    /// The one number in whose place all user ids without an account count together.
    nonisolated static let unaccounted = UInt32.max

    /// The accounts of this file, and those that a look-up knows.
    init(
        path: String = "/etc/passwd", changes: Changes, clock: any TimeSource = SystemClock(),
        lookUp: @escaping @Sendable (UInt32) -> AccountAnswer = { UserDatabase.account($0) }
    ) {
        self.path = path
        self.changes = changes
        self.clock = clock
        self.lookUp = lookUp
        readLocal()
    }

    /// Notices from now on when the file changes.
    func start() {
        do throws(SystemError) {
            watcher = try DirectoryWatcher(files: [path]) { [weak self] _ in self?.readLocal() }
        } catch {
            Log.error("changes of \(path) are not noticed: \(error)")
        }
    }

    /// Whether a user id belongs to an account, as far as is known now. What is not known is looked up for the next time.
    func hasAccount(_ uid: UInt32) -> Bool { name(of: uid) != nil }

    /// The user id whose limits a user's programs count to: one for all that belong to no account.
    func limitUser(_ uid: UInt32) -> UInt32 { hasAccount(uid) ? uid : Self.unaccounted }

    /// The name of the account of a user id, as far as is known now.
    func name(of uid: UInt32) -> String? {
        if let name = local[uid] { return name }
        let finding = others[uid]
        if finding.map({ $0.expiresAt <= clock.monotonicNanoseconds }) ?? true { query(uid) }
        return finding?.name
    }

    /// Whether the machine's own file has a user id, as far as is known now.
    func isLocal(_ uid: UInt32) -> Bool { local[uid] != nil }

    /// Asks the whole user database, first what the file had when it was last read, and calls back with what it says.
    func lookUp(_ uid: UInt32, then: @escaping @DaemonActor (AccountAnswer) -> Void) {
        if let problem { return then(.unknown(problem)) }
        if let name = local[uid] { return then(.present(name: name, isLocal: true)) }
        waiters[uid, default: []].append(then)
        query(uid)
        guard !queue.contains(uid) else { return }
        for waiter in waiters.removeValue(forKey: uid) ?? [] { waiter(.unknown("too many user ids are looked up")) }
    }

    /// Reads the file again, whether it has changed or not.
    func readLocal() {
        var read: [UInt32: String] = [:]
        do throws(SystemError) {
            let bytes = try BoundedFile.bytes(of: path, limit: Self.mostBytes)
            for line in bytes.split(separator: UInt8(ascii: "\n")) {
                let fields = line.split(separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
                guard fields.count == 4, let uid = UInt32(String(decoding: fields[2], as: UTF8.self)) else { continue }
                // The first line of a number is the one that the system finds.
                if read[uid] == nil { read[uid] = String(decoding: fields[0], as: UTF8.self) }
            }
        } catch {
            return distrust("\(error)")
        }
        // A file without root is being written, or is none.
        guard read[0] != nil else { return distrust("\(path) has no root") }
        problem = nil
        let before = local
        local = read
        for uid in Set(before.keys).union(read.keys) where before[uid] != read[uid] {
            others[uid] = nil
            changes.report(.accountChanged(uid))
        }
    }

    /// The file cannot be believed: what it had before holds.
    private func distrust(_ why: String) {
        if why != problem { Log.error("accounts are not known for now: \(why)") }
        problem = why
    }

    private func query(_ uid: UInt32) {
        guard queue.add(uid, isKnown: others[uid]?.name != nil || isImportant(uid)) else { return }
        next()
    }

    private func next() {
        while let uid = queue.next() {
            do throws(SystemError) {
                try DetachedThread.start(name: "user-account") { [weak self, lookUp] in
                    let answer = lookUp(uid)
                    DaemonActor.post { [weak self] in self?.receive(answer, of: uid) }
                }
            } catch {
                queue.ended(uid)
                Log.error("the account of uid \(uid) is not looked up: \(error)")
                for waiter in waiters.removeValue(forKey: uid) ?? [] { waiter(.unknown("\(error)")) }
                return
            }
        }
    }

    private func receive(_ answer: AccountAnswer, of uid: UInt32) {
        queue.ended(uid)
        defer { next() }
        remember(answer, of: uid)
        for waiter in waiters.removeValue(forKey: uid) ?? [] { waiter(answer) }
    }

    private func remember(_ answer: AccountAnswer, of uid: UInt32) {
        let before = others[uid]?.name
        let name: String?
        switch answer {
        case .present(let found, _): name = found
        case .absent: name = nil
        case .unknown(let why):
            Log.debug("the account of uid \(uid) cannot be looked up: \(why)")
            // A database that cannot be asked does not take an account away that it had.
            name = before
        }
        if others[uid] == nil, others.count >= Self.mostRemembered { others = others.filter { $0.value.name != nil } }
        guard others[uid] != nil || others.count < Self.mostRemembered else { return }
        others[uid] = Finding(name: name, expiresAt: clock.monotonicNanoseconds.addingClamped(Self.holding))
        if name != before, local[uid] == nil { changes.report(.accountChanged(uid)) }
    }
}
