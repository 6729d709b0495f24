import Interfaces
import Platform
import SyncInterface

/// The work of a `SyncEngine`, in one task: it looks for changes of the copy and of the app, performs what the app asks for,
/// and waits for the next signal. All that has to survive is in the state of the engine.
struct SyncEngineWorker: Sendable {
    let database: Database
    let state: SyncEngine.State
    let inbox: SyncEngineInbox
    let isAutomatic: Bool
    private let receiver: Receiver

    /// The app, which the work does not retain.
    private final class Receiver: Sendable {
        weak let delegate: (any SyncEngineDelegate)?
        weak let engine: SyncEngine?

        init(_ delegate: (any SyncEngineDelegate)?, _ engine: SyncEngine) {
            self.delegate = delegate
            self.engine = engine
        }
    }

    init(
        database: Database, state: SyncEngine.State, inbox: SyncEngineInbox, isAutomatic: Bool,
        delegate: (any SyncEngineDelegate)?, engine: SyncEngine
    ) {
        self.database = database
        self.state = state
        self.inbox = inbox
        self.isAutomatic = isAutomatic
        receiver = Receiver(delegate, engine)
    }

    /// Works until its task is cancelled.
    func run() async {
        let account = watchAccount()
        defer { account?.stop() }
        var pause = DoublingPause(first: .milliseconds(100), longest: .seconds(60))
        var watchPause = DoublingPause(first: .milliseconds(100), longest: .seconds(5))
        var signals = inbox.signals.makeAsyncIterator()
        while !Task.isCancelled {
            var retry: Task<Void, any Error>?
            do {
                while let request = inbox.next() { try await perform(request) }
                if isAutomatic { try await inbox.run(nil) { try await work() } }
                pause.reset()
            } catch {
                let delay = pause.nextAtRandom()
                retry = Task { [inbox] in
                    try await Task.sleep(for: delay)
                    inbox.signal()
                }
            }
            // A change of the copy while there was an error, or without an account, is noticed at the next attempt.
            let changes = retry == nil ? watchChanges() : nil
            let isOpen: Void? = await signals.next()
            changes?.stop()
            retry?.cancel()
            if isOpen == nil { return }
            guard inbox.removeFailure() else {
                watchPause.reset()
                continue
            }
            do { try await Task.sleep(for: watchPause.nextAtRandom()) } catch { return }
        }
    }

    private func watchAccount() -> CallThread? {
        guard isAutomatic else { return nil }
        let thread = CallThread()
        thread.start(
            name: "waymark-account", database.client.client, SyncInterface.GetAccount(), lasting: .always
        ) { [inbox] _ in
            inbox.signal()
            return true
        } onEnd: { _ in
        }
        return thread
    }

    private func watchChanges() -> CallThread? {
        let progress = state.progress.withLock { ($0.place, $0.revision) }
        guard isAutomatic, let place = progress.0 else { return nil }
        return database.client.watchChanges(since: progress.1, of: place.copy) { [inbox] error in
            if error == nil { inbox.signal() } else { inbox.signalFailure() }
        }
    }

    // Operations

    private func perform(_ request: SyncEngineInbox.Request) async throws {
        do {
            try await inbox.run(request) {
                switch request.operation {
                case .fetch: try await fetch()
                case .send(let options): try await send(options)
                }
            }
        } catch let error as RecordError where error.code != .serviceUnavailable {
            // The app has received it, and decides what to do.
        } catch is CancellationError {}
    }

    /// What the engine does by itself.
    private func work() async throws {
        guard try await noteAccount() else { return }
        try await readChanges(isRequested: false)
        try await sendChanges(SyncEngine.SendChangesContext(reason: .scheduled, options: .init()))
    }

    private func fetch() async throws {
        guard try await noteAccount() else { throw Self.noAccount }
        let problem = try await synchronize()
        try await readChanges(isRequested: true)
        if let problem { throw problem }
    }

    private func send(_ options: SyncEngine.SendChangesOptions) async throws {
        guard try await noteAccount() else { throw Self.noAccount }
        try await readChanges(isRequested: false)
        try await sendChanges(SyncEngine.SendChangesContext(reason: .manual, options: options))
        let problem = try await synchronize()
        try await readChanges(isRequested: false)
        if let problem { throw problem }
    }

    private static var noAccount: RecordError {
        RecordError(.notAuthenticated, "This machine has joined no account. Join one with `waymark join`.")
    }

    /// Has everything sent and fetched. Returns why that is not possible at present.
    private func synchronize() async throws -> RecordError? {
        do {
            _ = try await database.client.call(SyncInterface.Synchronize())
            return nil
        } catch let error as RecordError where error.code == .networkUnavailable {
            return error
        }
    }

    // Events

    func send(_ event: SyncEngine.Event) async {
        guard let delegate = receiver.delegate, let engine = receiver.engine else { return }
        await delegate.handleEvent(event, syncEngine: engine)
    }

    func sendState() async {
        let progress = state.progress.withLock { $0 }
        await send(.stateUpdate(.init(stateSerialization: .init(progress))))
    }

    func nextBatch(_ context: SyncEngine.SendChangesContext) async -> SyncEngine.RecordZoneChangeBatch? {
        guard let delegate = receiver.delegate, let engine = receiver.engine else { return nil }
        return await delegate.nextRecordZoneChangeBatch(context, syncEngine: engine)
    }

    // The account

    /// Compares the account with that of the state, and begins anew if it is another one. Returns whether there is an account.
    func noteAccount() async throws -> Bool {
        let account = Account(try await database.client.call(SyncInterface.GetAccount()))
        var present: SyncEngineProgress.Place?
        if let name = account.userName, let copy = account.copyIdentifier {
            present = SyncEngineProgress.Place(account: name, copy: copy)
        }
        let previous = state.progress.withLock { progress in
            let previous = progress.place
            if previous == nil {
                // What the app has added before there was an account is sent now.
                progress.place = present
            } else if previous != present {
                progress.begin(in: present)
            }
            return previous
        }
        guard previous != present else { return present != nil }
        for change in SyncEngine.Event.AccountChange.changes(from: previous?.account, to: present?.account) {
            await send(.accountChange(change))
        }
        await sendState()
        return present != nil
    }
}

extension SyncEngine.Event.AccountChange {
    /// What has changed between two accounts, or between two copies of one.
    fileprivate static func changes(from previous: String?, to present: String?) -> [Self] {
        switch (previous, present) {
        case (nil, nil): []
        case (let previous?, nil): [Self(changeType: .signOut(previousUser: previous))]
        case (nil, let present?): [Self(changeType: .signIn(currentUser: present))]
        case (let previous?, let present?) where previous == present:
            [
                Self(changeType: .signOut(previousUser: previous)), Self(changeType: .signIn(currentUser: present)),
            ]
        case (let previous?, let present?):
            [Self(changeType: .switchAccounts(previousUser: previous, currentUser: present))]
        }
    }
}
