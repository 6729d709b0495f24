import Accounts
import Authorization
import Journal
import Platform
import TestSupport
import Testing

@testable import Daemon

/// An `AccountRetention` with a real journal and a real store of regions, for one user whose data was stored before
/// the start. The test decides which account the user id has now.
@DaemonActor
final class AccountRetentionBench {
    nonisolated static let uid: UInt32 = 70_001

    /// How an operator's command ended.
    enum Outcome: Equatable { case done, notSuspended, refused }

    let retention: AccountRetention
    let regions: RegionRegistry
    private let parts: ClientParts
    private let accounts: UserAccounts
    private let data: UserData
    private let directory: TemporaryDirectory
    private let stored: StoredAccount
    private(set) var erasure: Outcome?
    private(set) var restoration: Outcome?

    /// - Parameters:
    ///   - stored: The account to which the data belongs.
    ///   - name: The name that the user id has in the file of accounts; nil if it is not in the file.
    ///   - lookUp: The reply of the user database for a user id that is not in the file.
    init(
        _ stored: StoredAccount, now name: String?,
        lookUp: @escaping @Sendable (UInt32) -> AccountAnswer = { _ in .absent }
    ) throws {
        self.stored = stored
        directory = try TemporaryDirectory()
        let clock = ManualClock()
        parts = try ClientParts(directory, clock: clock)
        accounts = UserAccounts(
            path: try directory.write("passwd", Self.passwd(name)), clock: clock, lookUp: lookUp)
        let readiness = Readiness(
            authorizer: parts.authorizer, clients: parts.clients, users: parts.users, changes: parts.changes)
        regions = try parts.regions(readiness, clock: clock)
        data = UserData(authorizer: parts.authorizer, clients: parts.clients, ledger: parts.ledger)
        data.regions = regions
        retention = try AccountRetention(
            accounts: accounts, authorizer: parts.authorizer, clients: parts.clients, journal: parts.journal.journal,
            recorder: parts.recorder, data: data, clock: clock, retention: .seconds(604_800),
            sources: { NameSources(text: "passwd: files\n") })
        accounts.onChange = { [weak self] in self?.retention.changed($0) }
        parts.changes.react = { [weak self] in self?.react(to: $0) }
    }

    private static func passwd(_ name: String?) -> String {
        "root:x:0:0::/root:/bin/sh\n" + (name.map { "\($0):x:\(uid):\(uid)::/nonexistent:/bin/sh\n" } ?? "")
    }

    private func react(to change: Change) {
        switch change {
        case .journalLoaded(var authorization, _):
            authorization.state.accounts[Self.uid] = stored
            parts.clients.suspensions = retention.load(authorization)
            parts.authorizer.load(authorization, suspended: Set(parts.clients.suspensions.keys))
        case .authorizationLoaded: retention.loaded()
        case .userSeen(let uid, let stores): retention.seen(uid, stores: stores)
        case .regionsLoaded: retention.regionsLoaded()
        default: break
        }
    }

    /// Waits until the journal is open and the accounts are known. The regions are not opened.
    func open() async throws {
        let isOpen = try await eventually { () async throws -> Bool in
            parts.authorizer.isLoaded && parts.journal.status.state == .running
        }
        try #require(isOpen)
    }

    func openRegions() async throws {
        regions.open()
        let isReady = try await eventually { () async throws -> Bool in regions.state == .ready }
        try #require(isReady)
    }

    func close() async {
        if regions.state == .ready {
            await withCheckedContinuation { continuation in regions.close { continuation.resume() } }
        }
        await withCheckedContinuation { continuation in parts.journal.close { continuation.resume() } }
    }

    /// The account to which the data belongs.
    var account: StoredAccount? { retention.book[Self.uid] }

    var isSuspended: Bool { parts.clients.suspension(of: Self.uid) != nil }

    /// Gives the user id another name, which two checks find.
    func rename(to name: String) throws {
        try directory.write("passwd", Self.passwd(name))
        accounts.readLocal()
        retention.changed(Self.uid)
    }

    func erase() {
        retention.erase(Self.uid, by: 0) { [weak self] in self?.erasure = Self.outcome($0) }
    }

    func restore() {
        retention.restore(Self.uid, by: 0) { [weak self] in self?.restoration = Self.outcome($0) }
    }

    /// Waits until both commands have ended.
    func finish() async throws {
        let haveEnded = try await eventually { () async throws -> Bool in erasure != nil && restoration != nil }
        try #require(haveEnded)
    }

    private static func outcome(_ result: Result<Void, AccountRetention.Refusal>) -> Outcome {
        switch result {
        case .success: .done
        case .failure(.notSuspended): .notSuspended
        case .failure: .refused
        }
    }
}
