import Synchronization

/// Synchronizes the records of an app with those of its other machines: what `CKSyncEngine` is in CloudKit.
///
///     let engine = SyncEngine(SyncEngine.Configuration(
///         database: Container.default.privateDatabase, stateSerialization: stored, delegate: self))
///     engine.state.add(pendingRecordZoneChanges: [.saveRecord(note.recordID)])
///
/// The app has its own copy of the records, in whichever form. The engine reports what has changed in the copy of
/// `waymark-sync`, which is shared by all programs of the machine, and puts the app's changes into it; `waymark-sync` exchanges
/// them with the hub. It works without a network, goes on after `waymark-sync` was restarted, and ends when the app releases it.
public final class SyncEngine: Sendable {
    /// What an engine needs.
    public struct Configuration: Sendable {
        /// The database whose zones the engine synchronizes.
        public var database: Database
        /// The state of the latest `stateUpdate` event, which the app has stored; nil at the first start.
        public var stateSerialization: State.Serialization?
        /// What handles events. The engine does not retain it.
        public weak var delegate: (any SyncEngineDelegate)?
        /// Whether the engine fetches and sends by itself. Without it, the app calls `fetchChanges` and `sendChanges`.
        public var automaticallySync = true

        /// A configuration of these parts.
        public init(
            database: Database, stateSerialization: State.Serialization?, delegate: any SyncEngineDelegate
        ) {
            self.database = database
            self.stateSerialization = stateSerialization
            self.delegate = delegate
        }
    }

    /// Which changes to send.
    public struct SendChangesOptions: Sendable {
        /// The zones whose changes are sent.
        public enum Scope: Sendable, Equatable {
            /// All of them.
            case all
            /// These.
            case zoneIDs([RecordZone.ID])

            /// Whether a change is to be sent.
            public func contains(_ change: State.PendingRecordZoneChange) -> Bool {
                switch self {
                case .all: true
                case .zoneIDs(let zones): zones.contains(change.recordID.zoneID)
                }
            }
        }

        /// The zones whose changes are sent.
        public var scope: Scope

        /// Options with a scope.
        public init(scope: Scope = .all) { self.scope = scope }
    }

    /// Why the engine asks for changes to send.
    public struct SendChangesContext: Sendable {
        /// Whether the engine sends by itself, or because the app has asked it to.
        public enum Reason: Sendable, Equatable {
            /// The engine sends by itself.
            case scheduled
            /// The app has called `sendChanges`.
            case manual
        }

        /// Why the engine asks.
        public let reason: Reason
        /// Which changes to send.
        public let options: SendChangesOptions
    }

    /// The database whose zones the engine synchronizes.
    public let database: Database
    /// Up to where the engine has read, and what it has to send.
    public let state: State
    private let inbox: SyncEngineInbox
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Starts an engine. Its first event may come before the call returns.
    ///
    /// - Precondition: The database is the private or the shared one, as in CloudKit: the public one lists no changes.
    public init(_ configuration: Configuration) {
        precondition(
            configuration.database.databaseScope != .public,
            "A SyncEngine synchronizes the private or the shared database: the public one lists no changes.")
        database = configuration.database
        inbox = SyncEngineInbox()
        state = State(configuration.stateSerialization, inbox)
        let worker = SyncEngineWorker(
            database: database, state: state, inbox: inbox, isAutomatic: configuration.automaticallySync,
            delegate: configuration.delegate, engine: self)
        task.withLock { $0 = Task { await worker.run() } }
    }

    deinit {
        task.withLock { $0?.cancel() }
        inbox.close()
    }

    /// Fetches everything from the hub, and returns when the delegate has handled it.
    ///
    /// - Throws: A `RecordError`: `networkUnavailable` if the hub cannot be reached, after the changes of the copy were handled;
    ///   `notAuthenticated` without an account. `CancellationError` if the task is cancelled, or by `cancelOperations()`.
    public func fetchChanges() async throws { try await inbox.perform(.fetch) }

    /// Sends the pending changes, and returns when the hub has answered and the delegate has handled the answer.
    ///
    /// - Throws: As `fetchChanges()`. Without a network the changes are in the copy then, and are sent later.
    public func sendChanges(_ options: SendChangesOptions = SendChangesOptions()) async throws {
        try await inbox.perform(.send(options))
    }

    /// Ends `fetchChanges()` and `sendChanges()` that are in progress. Automatic work goes on later.
    public func cancelOperations() async { inbox.cancelAll() }
}
