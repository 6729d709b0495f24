import Accounts
import Authorization
import Events
import Glibc
import Journal
import Platform
import Storage

/// Binds the stored data of users to their accounts: suspends the data when the account was removed or changed, and
/// erases it after a period. `AccountBook` has the rules.
///
/// Exempt are root, whose user id the apps of system services have, the daemon's own user, and the user ids that
/// systemd assigns to running services temporarily.
@DaemonActor
final class AccountRetention {
    let accounts: UserAccounts
    let authorizer: Authorizer
    private let clients: Clients
    private let journal: EventJournal
    private let recorder: EventRecorder
    let data: UserData
    private let clock: any TimeSource
    private let sources: @Sendable () -> NameSources
    private(set) var book = AccountBook()
    private var retention: Duration
    /// The bindings that are durable or being written.
    private var saved: [UInt32: StoredAccount] = [:]
    /// Users whose recordings are known before the authorizations are loaded.
    private var loadedUsers: Set<UInt32> = []
    private var erasing: Set<UInt32> = []
    /// The user ids that are suspended only because they might have regions.
    private var presumed: Set<UInt32> = []
    /// Users whose data is being assigned to their present accounts: an operator's decision is being written.
    private var restoring: Set<UInt32> = []
    private var confirmation = AccountRetention.confirmations.remote
    private var timer: TimerSource?

    /// The user ids that systemd assigns to services with DynamicUser=, systemd.exec(5).
    private static let dynamicUsers: ClosedRange<UInt32> = 61_184...65_519
    /// How long an account must be missing from a purely local user database, and from one with a directory server.
    private static let confirmations = (local: Duration.seconds(2), remote: Duration.seconds(60))
    /// The maximum number of watched user ids without stored data.
    private static let mostWatched = 4_096
    /// The interval at which suspended accounts and those of directory servers are checked again.
    private static let interval = Duration.seconds(3_600)

    init(
        accounts: UserAccounts, authorizer: Authorizer, clients: Clients, journal: EventJournal,
        recorder: EventRecorder, data: UserData, clock: any TimeSource, retention: Duration,
        sources: @escaping @Sendable () -> NameSources = { NameSources() }
    ) throws(SystemError) {
        self.accounts = accounts
        self.authorizer = authorizer
        self.clients = clients
        self.journal = journal
        self.recorder = recorder
        self.data = data
        self.clock = clock
        self.retention = retention
        self.sources = sources
        timer = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.check() }
        accounts.isRemembered = { [weak self] in self?.book[$0]?.name != nil }
    }

    /// Sets the period after which the data of removed accounts is erased.
    func apply(retention: Duration) {
        self.retention = retention
        check()
    }

    /// Records users of whom something is stored that is not loaded yet, right before `load`: whose data it is has to be known
    /// before the accounts are compared.
    func note(_ users: some Sequence<UInt32>) { loadedUsers.formUnion(users) }

    /// Called when the user database may have a different account for a user id.
    func changed(_ uid: UInt32) {
        if book.isWatched(uid) { lookUp(uid) }
    }

    /// The user ids that have stored data or are suspended.
    var users: [UInt32] {
        Set(book.suspended).union(storedUsers).filter { !isExempt($0) }.sorted()
    }

    /// Seconds until all data of a user id is erased; nil if it will not be erased automatically.
    func secondsLeft(_ uid: UInt32) -> Int64? { book.secondsLeft(uid, retention: retention) }

    // Operators

    /// Erases all stored data of a user id. The completion is called when the erasure is durable.
    func erase(
        _ uid: UInt32, by operatorID: UInt32, completion: @escaping @DaemonActor (Result<Void, Refusal>) -> Void
    ) {
        guard users.contains(uid) else { return completion(.failure(.unknown)) }
        erase(uid, by: .operator(uid: operatorID), completion: completion)
    }

    /// Assigns the stored data of a user id to its present account, so that it is used again.
    func restore(
        _ uid: UInt32, by operatorID: UInt32, completion: @escaping @DaemonActor (Result<Void, Refusal>) -> Void
    ) {
        guard let account = book[uid], users.contains(uid) else { return completion(.failure(.unknown)) }
        guard isRestorable(uid, account) else { return completion(.failure(.notSuspended)) }
        accounts.lookUp(uid) { [weak self] answer in
            guard let self else { return }
            // An erasure may have begun, or ended, meanwhile.
            guard isRestorable(uid, book[uid]) else { return completion(.failure(.notSuspended)) }
            switch answer {
            case .absent: completion(.failure(.noAccount))
            case .unknown(let why): completion(.failure(.notKnown(why)))
            case .present(let name, _):
                var next = book
                next.restore(uid, to: name)
                let event = Event(
                    .accountRestored, uid: uid,
                    details: ["name": .text(name), "by": .text("operator \(operatorID)")])
                recorder.notify(event)
                restoring.insert(uid)
                // Durable before it is in effect, like every extension of access.
                journal.append([event], changes: [.account(uid, next[uid])]) { [weak self] result in
                    DaemonActor.assumeIsolated { self?.restored(uid, to: name, result, completion) }
                }
            }
        }
    }

    private func isRestorable(_ uid: UInt32, _ account: StoredAccount?) -> Bool {
        guard let account else { return false }
        return account.isSuspended && account.state != .erased && !isBeingDecided(uid)
    }

    /// Whether the data of a user is being erased or restored. Until that is done, nothing else is decided about it.
    private func isBeingDecided(_ uid: UInt32) -> Bool { erasing.contains(uid) || restoring.contains(uid) }

    /// Why a user cannot have keys of its own; nil if it can. It has to have an account, by which somebody else with the same
    /// number is recognized.
    func obstacleToKeys(_ uid: UInt32, then: @escaping @DaemonActor (String?) -> Void) {
        if isExempt(uid) { return then("what user \(uid) records is under the machine's lock") }
        accounts.lookUp(uid) { answer in
            switch answer {
            case .present: then(nil)
            case .absent: then("no account has the number \(uid)")
            case .unknown(let why): then("it is not known whether an account has the number \(uid): \(why)")
            }
        }
    }

    private func restored(
        _ uid: UInt32, to name: String, _ result: Result<Void, StorageError>,
        _ completion: @DaemonActor (Result<Void, Refusal>) -> Void
    ) {
        restoring.remove(uid)
        // What the user database replied meanwhile was not applied.
        defer { lookUp(uid) }
        if case .failure(let error) = result { return completion(.failure(.notStored(error))) }
        book.restore(uid, to: name)
        saved[uid] = book[uid]
        clients.library.forget(uid)
        resume(uid)
        completion(.success(()))
    }

    // Observations

    private var now: AccountBook.Instant {
        AccountBook.Instant(bootNanoseconds: clock.bootNanoseconds, utcMicroseconds: clock.utcMicroseconds)
    }

    private func isExempt(_ uid: UInt32) -> Bool {
        uid == 0 || uid == geteuid() || uid == UserAccounts.unaccounted
            || Self.dynamicUsers.contains(uid) && !accounts.isLocal(uid) && book[uid] == nil
    }

    /// Applies what was stored, before any client has access because of it. Returns the suspended users with the
    /// reasons.
    func load(_ loaded: LoadedAuthorization) -> [UInt32: String] {
        book = AccountBook(loaded.state.accounts)
        saved = loaded.state.accounts
        // A different name in the local file is confirmed before any client has access: reading the file again cannot
        // block.
        for _ in 0..<2 {
            accounts.readLocal()
            for uid in book.users where accounts.isLocal(uid) {
                if let name = accounts.name(of: uid) { observe(uid, .present(name: name, isLocal: true)) }
            }
        }
        for uid in book.users { observeHome(uid) }
        for uid in book.suspended { data.suspend(uid) }
        return Dictionary(uniqueKeysWithValues: book.suspended.map { ($0, complaint(of: $0)) })
    }

    func loaded() {
        for uid in book.users where saved[uid] != book[uid] { save(uid) }
        for uid in storedUsers { seen(uid, stores: true) }
        for session in clients.sessions where session.isOperatorsUser { seen(session.userID, stores: false) }
        loadedUsers = []
        check()
    }

    /// Called when a process of a user was identified, or when data of the user is stored.
    func seen(_ uid: UInt32, stores: Bool) {
        guard authorizer.isLoaded, !isExempt(uid) else { return }
        if !book.isWatched(uid) {
            // There are very many user ids without an account, and no data about them is needed.
            guard stores || accounts.hasAccount(uid) && book.count < Self.mostWatched else { return }
            book.watch(uid)
            lookUp(uid)
        }
        // The binding precedes the data in the order of the journal.
        if stores, saved[uid] == nil, book[uid] != nil { save(uid) }
    }

    /// Whether data of a user is stored, or may be: while the regions are not known, every user may have some.
    private func mayHaveStored(_ uid: UInt32) -> Bool { !data.areRegionsKnown || storedUsers.contains(uid) }

    private var storedUsers: Set<UInt32> { loadedUsers.union(data.users) }

    private func check() {
        guard authorizer.isLoaded else { return }
        readSources()
        let users = book.users.filter(needsChecks)
        if !users.isEmpty { accounts.readLocal() }
        for uid in users { lookUp(uid) }
        arm()
    }

    private func needsChecks(_ uid: UInt32) -> Bool {
        book[uid]?.isSuspended ?? true || !accounts.isLocal(uid)
            || book.isDoubted(uid)
    }

    /// Determines how long an account must be missing from this machine's user database to count as removed.
    private func readSources() {
        confirmation = sources().areLocal ? Self.confirmations.local : Self.confirmations.remote
    }

    private func lookUp(_ uid: UInt32) {
        accounts.lookUp(uid) { [weak self] answer in self?.handle(answer, of: uid) }
    }

    private func handle(_ answer: AccountAnswer, of uid: UInt32) {
        guard authorizer.isLoaded, book.isWatched(uid), !isBeingDecided(uid) else { return }
        let before = book[uid]
        observe(uid, answer)
        observeHome(uid)
        apply(from: before, of: uid)
        if let account = book[uid], account == StoredAccount(name: nil), saved[uid] == nil { book.forget(uid) }
        if book.isExpired(uid, retention: retention, at: now) { erase(uid, by: .rule) { _ in } }
        arm()
    }

    /// Called when a user's home was examined. Its age is evaluated before any client has access because of the files
    /// in it.
    func homeSeen(_ uid: UInt32) {
        guard authorizer.isLoaded, book.isWatched(uid), !isBeingDecided(uid) else { return }
        let before = book[uid]
        observeHome(uid)
        apply(from: before, of: uid)
    }

    private func observeHome(_ uid: UInt32) {
        book.observeHome(uid, bornAt: clients.library.homeBirth(of: uid), at: now)
    }

    private func observe(_ uid: UInt32, _ answer: AccountAnswer) {
        let wasSuspended = book[uid]?.isSuspended ?? false
        book.observe(uid, answer, at: now, confirmation: confirmation, hasStored: mayHaveStored(uid))
        if !wasSuspended, book[uid]?.isSuspended == true, !storedUsers.contains(uid) { presumed.insert(uid) }
    }

    /// The stored regions have become known, or not: accounts that were suspended because of data which there is not are
    /// decided about as such without data.
    func regionsLoaded() {
        guard data.areRegionsKnown else { return }
        for uid in presumed where !storedUsers.contains(uid) {
            let before = book[uid]
            book.erased(uid, at: now)
            apply(from: before, of: uid)
        }
        presumed = []
    }

    /// Performs the consequences of a changed binding.
    private func apply(from before: StoredAccount?, of uid: UInt32) {
        let after = book[uid]
        guard after != before else { return }
        // The home is a different one now.
        if let before, before.name != after?.name { clients.library.forget(uid) }
        let (wasSuspended, isSuspended) = (before?.isSuspended ?? false, after?.isSuspended ?? false)
        if let after, isSuspended, after.state != before?.state || after.otherName != before?.otherName {
            suspend(uid)
            save(uid, reporter: event(.accountSuspended, uid, after))
        } else if wasSuspended, !isSuspended {
            let event = Event(
                .accountRestored, uid: uid, details: ["name": .text(after?.name ?? ""), "by": "rule"])
            save(uid, reporter: before?.state == .erased ? nil : event)
            resume(uid)
        } else if saved[uid] != nil || storedUsers.contains(uid) {
            save(uid)
        }
    }

    private func suspend(_ uid: UInt32) {
        data.suspend(uid)
        clients.suspend(uid, because: complaint(of: uid))
    }

    private func resume(_ uid: UInt32) {
        data.resume(uid)
        clients.resume(uid)
    }

    private func save(_ uid: UInt32, reporter event: Event? = nil) {
        let account = book[uid]
        saved[uid] = account
        if let event { recorder.notify(event) }
        journal.append(event.map { [$0] } ?? [], changes: [.account(uid, account)]) { [weak self] result in
            guard case .failure(let error) = result else { return }
            DaemonActor.assumeIsolated {
                Log.error("the account of uid \(uid) could not be stored: \(error)")
                if self?.saved[uid] == account { self?.saved[uid] = nil }
            }
        }
    }

    // Erasing

    private func erase(
        _ uid: UInt32, by decider: Grant.Decider, completion: @escaping @DaemonActor (Result<Void, Refusal>) -> Void
    ) {
        guard !isBeingDecided(uid) else { return completion(.failure(.notSuspended)) }
        // If the erasure fails, there may be data that is not known any more.
        presumed.remove(uid)
        erasing.insert(uid)
        clients.suspend(uid, because: "what was stored of uid \(uid) is being erased")
        data.suspend(uid)
        data.erase(uid, by: decider, isRemoved: book[uid]?.isSuspended == true) { [weak self] result in
            switch result {
            case .success: self?.eraseAccount(uid, by: decider.words, completion)
            case .failure(let error): self?.erased(uid, .failure(error), completion)
            }
        }
    }

    /// The last step of an erasure: from then on nothing of the user is stored.
    private func eraseAccount(
        _ uid: UInt32, by: String, _ completion: @escaping @DaemonActor (Result<Void, Refusal>) -> Void
    ) {
        var next = book
        next.erased(uid, at: now)
        let name = book[uid]?.name
        let event = Event(
            .accountErased, uid: uid, details: ["name": .text(name ?? ""), "by": .text(by)])
        recorder.notify(event)
        journal.append([event], changes: [.audiencesForgotten(uid), .account(uid, next[uid])]) { [weak self] result in
            DaemonActor.assumeIsolated { self?.erased(uid, result, completion) }
        }
    }

    private func erased(
        _ uid: UInt32, _ result: Result<Void, StorageError>,
        _ completion: @DaemonActor (Result<Void, Refusal>) -> Void
    ) {
        erasing.remove(uid)
        if case .failure(let error) = result {
            Log.error("what was stored of uid \(uid) could not all be erased, and is not used: \(error)")
            if book[uid]?.isSuspended == true { suspend(uid) }
            book.couldNotErase(uid, at: now)
            arm()
            return completion(.failure(.notStored(error)))
        }
        book.erased(uid, at: now)
        saved[uid] = book[uid]
        if book[uid]?.isSuspended == true {
            suspend(uid)
        } else {
            resume(uid)
        }
        if book.isWatched(uid) { lookUp(uid) }
        // What remains of an account that exists, the key of its copy of records, still belongs to it.
        if storedUsers.contains(uid) { seen(uid, stores: true) }
        completion(.success(()))
    }

    private func arm() {
        var pauses: [Duration] = []
        for uid in book.users where needsChecks(uid) {
            if let pause = book.pauseOfDoubt(uid, confirmation: confirmation) ?? book.pauseOfErasure(uid, at: now) {
                pauses.append(pause)
            } else {
                let left = book.secondsLeft(uid, retention: retention).map { Duration.seconds(max(1, $0)) }
                pauses.append(min(left ?? Self.interval, Self.interval))
            }
        }
        if let pause = pauses.min() { timer?.arm(after: pause + .milliseconds(100)) } else { timer?.disarm() }
    }
}
