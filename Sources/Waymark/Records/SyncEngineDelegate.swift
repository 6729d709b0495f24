/// What an app does when its `SyncEngine` has something to report: what `CKSyncEngineDelegate` is in CloudKit.
///
/// The engine makes one call at a time, and continues when it returns. An implementation does not call `fetchChanges` or
/// `sendChanges` and wait for them, because they wait for the delegate.
public protocol SyncEngineDelegate: AnyObject, Sendable {
    /// Handles an event. What it reports is reported again after a crash, unless the app has stored the state of the next
    /// `stateUpdate`.
    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async

    /// The next changes to send, of those in `syncEngine.state.pendingRecordZoneChanges`; nil if there are none. The engine asks
    /// again until it returns nil.
    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch?
}
