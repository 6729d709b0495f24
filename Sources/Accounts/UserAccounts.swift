import Durations
import Glibc
import Platform
import Varlink

/// The accounts of the user database, passwd(5) and the name services beside it.
///
/// The content of `/etc/passwd` is known at once and read again when it changes. Every other user id is looked up on a
/// thread, because a directory server may not respond. Until it is found, or if the database does not have it, a user
/// id counts as belonging to no account. Such user ids are those of containers and subordinate ranges, subuid(5), of
/// which one account may have 65,536.
@DaemonActor
public final class UserAccounts {
    /// Called when a user id belongs to another account than before, to one or to none.
    public var onChange: @DaemonActor (UInt32) -> Void = { _ in }
    /// Whether a user id belonged to an account earlier, of which something is stored: its look-ups have priority.
    public var isRemembered: @DaemonActor (UInt32) -> Bool = { _ in false }

    /// A result for a user id that `/etc/passwd` does not have.
    private struct Finding {
        var name: String?
        /// When the result expires and the user id is looked up again at the next need, in nanoseconds of
        /// CLOCK_MONOTONIC.
        var expiresAt: UInt64
    }

    private let path: String
    private let clock: any TimeSource
    private let lookUp: @Sendable (UInt32) -> AccountAnswer
    private var local: [UInt32: String] = [:]
    /// Why the file is not trusted at present; nil if it is.
    private var problem: String?
    private var waiters: [UInt32: [@DaemonActor (AccountAnswer) -> Void]] = [:]
    private var others: [UInt32: Finding] = [:]
    private var queue = AccountQueue()
    private var watcher: DirectoryWatcher?

    /// The maximum number of remembered results.
    private static let mostRemembered = 16_384
    /// The lifetime of a result in nanoseconds.
    private static let holding: UInt64 = 60_000_000_000
    /// The maximum size of the file in bytes, more than any local user database has.
    private static let mostBytes = 4 << 20
    /// The id that represents all user ids without an account.
    public nonisolated static let unaccounted = UInt32.max

    /// Uses the accounts of this file and those that a lookup finds.
    public init(
        path: String = "/etc/passwd", clock: any TimeSource = SystemClock(),
        lookUp: @escaping @Sendable (UInt32) -> AccountAnswer = { UserDatabase.account($0) }
    ) {
        self.path = path
        self.clock = clock
        self.lookUp = lookUp
        readLocal()
    }

    /// Starts to watch the file for changes.
    public func start() {
        do throws(SystemError) {
            watcher = try DirectoryWatcher(files: [path]) { [weak self] _ in self?.readLocal() }
        } catch {
            Log.error("changes of \(path) cannot be watched: \(error)")
        }
    }

    /// Whether a user id belongs to an account, as far as is known now. An unknown user id is looked up for the next
    /// call.
    public func hasAccount(_ uid: UInt32) -> Bool { name(of: uid) != nil }

    /// The user whose limits a user's programs count against: one for all user ids without an account.
    public func limitUser(_ uid: UInt32) -> UInt32 { hasAccount(uid) ? uid : Self.unaccounted }

    /// The user id to whose budget a user's apps count; nil for root, because only root can add apps of root.
    public func budgetAccount(_ uid: UInt32) -> UInt32? { uid == 0 ? nil : limitUser(uid) }

    /// The name of the account of a user id, as far as is known now.
    public func name(of uid: UInt32) -> String? {
        if let name = local[uid] { return name }
        let finding = others[uid]
        if finding.map({ $0.expiresAt <= clock.monotonicNanoseconds }) ?? true { query(uid) }
        return finding?.name
    }

    /// Whether the local file contains a user id, as far as is known now.
    public func isLocal(_ uid: UInt32) -> Bool { local[uid] != nil }

    /// Queries the whole user database, starting with the latest content of the file, and calls back with its reply.
    public func lookUp(_ uid: UInt32, then: @escaping @DaemonActor (AccountAnswer) -> Void) {
        if let problem { return then(.unknown(problem)) }
        if let name = local[uid] { return then(.present(name: name, isLocal: true)) }
        waiters[uid, default: []].append(then)
        query(uid)
        guard !queue.contains(uid) else { return }
        for waiter in waiters.removeValue(forKey: uid) ?? [] { waiter(.unknown("too many user ids are looked up")) }
    }

    /// Reads the file again, whether or not it has changed.
    public func readLocal() {
        var read: [UInt32: String] = [:]
        do throws(SystemError) {
            let bytes = try BoundedFile.bytes(of: path, limit: Self.mostBytes)
            for line in bytes.split(separator: UInt8(ascii: "\n")) {
                let fields = line.split(separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
                guard fields.count == 4, let uid = UInt32(String(decoding: fields[2], as: UTF8.self)) else { continue }
                // As for the system, the first line of a user id counts.
                if read[uid] == nil { read[uid] = String(decoding: fields[0], as: UTF8.self) }
            }
        } catch {
            return distrust("\(error)")
        }
        // A file without root is incomplete or no user database.
        guard read[0] != nil else { return distrust("\(path) has no root") }
        problem = nil
        let before = local
        local = read
        for uid in Set(before.keys).union(read.keys) where before[uid] != read[uid] {
            others[uid] = nil
            onChange(uid)
        }
    }

    /// Ignores the present file; its earlier content stays in force.
    private func distrust(_ why: String) {
        if why != problem { Log.error("changes of user accounts are ignored for now: \(why)") }
        problem = why
    }

    private func query(_ uid: UInt32) {
        guard queue.add(uid, isKnown: others[uid]?.name != nil || isRemembered(uid)) else { return }
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
                Log.error("the account of uid \(uid) cannot be looked up: \(error)")
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
            // A database that cannot be queried does not remove an account that was found before.
            name = before
        }
        if others[uid] == nil, others.count >= Self.mostRemembered { others = others.filter { $0.value.name != nil } }
        guard others[uid] != nil || others.count < Self.mostRemembered else { return }
        others[uid] = Finding(name: name, expiresAt: clock.monotonicNanoseconds.addingClamped(Self.holding))
        if name != before, local[uid] == nil { onChange(uid) }
    }
}

extension UserAccounts: ConnectionSharing {
    /// The quota of root, of the account, or the one of all user ids without an account.
    public func share(of peer: PeerIdentity) -> ConnectionShare {
        if peer.userID == 0 { return .root }
        return hasAccount(peer.userID) ? .account(peer.userID) : .unaccounted
    }
}
