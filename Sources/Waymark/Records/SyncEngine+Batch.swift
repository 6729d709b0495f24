extension SyncEngine {
    /// Changes of records to send together.
    public struct RecordZoneChangeBatch: Sendable {
        /// The records to save.
        public var recordsToSave: [Record]
        /// The records to delete.
        public var recordIDsToDelete: [Record.ID]
        /// Whether the changes of a zone are made together or not at all; at most 400 of a zone then.
        public var atomicByZone: Bool

        /// A batch of these changes.
        public init(recordsToSave: [Record] = [], recordIDsToDelete: [Record.ID] = [], atomicByZone: Bool = false) {
            self.recordsToSave = recordsToSave
            self.recordIDsToDelete = recordIDsToDelete
            self.atomicByZone = atomicByZone
        }

        /// The first changes of a list: at most 250. Nil if none of them has a record any more.
        ///
        /// - Parameters:
        ///   - pendingChanges: Changes, such as those of `state.pendingRecordZoneChanges` that the options contain.
        ///   - isolation: Where the provider runs: where the caller runs.
        ///   - recordProvider: Returns the record to save; nil if the app does not have it any more. Remove such a change from the
        ///     state, or it is in the list again.
        public init?(
            pendingChanges: [State.PendingRecordZoneChange], isolation: isolated (any Actor)? = #isolation,
            recordProvider: (Record.ID) async -> Record?
        ) async {
            self.init()
            for change in pendingChanges where recordsToSave.count + recordIDsToDelete.count < Self.most {
                switch change {
                case .deleteRecord(let id): recordIDsToDelete.append(id)
                case .saveRecord(let id):
                    if let record = await recordProvider(id) { recordsToSave.append(record) }
                }
            }
            if recordsToSave.isEmpty && recordIDsToDelete.isEmpty { return nil }
        }

        private static let most = 250
    }
}
