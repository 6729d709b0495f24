extension SyncEngine {
    /// What an engine reports to its delegate.
    public enum Event: Sendable {
        /// The state has changed: store it, together with what was reported before.
        case stateUpdate(StateUpdate)
        /// The machine has joined or left an account. The engine begins anew, without pending changes.
        case accountChange(AccountChange)
        /// Zones have appeared in the copy or were deleted from it.
        case fetchedDatabaseChanges(FetchedDatabaseChanges)
        /// Records were changed or deleted in the copy: on another machine, or by another program on this one.
        case fetchedRecordZoneChanges(FetchedRecordZoneChanges)
        /// Changes of zones are in the copy, or were refused.
        case sentDatabaseChanges(SentDatabaseChanges)
        /// The hub has acknowledged or refused changes of records.
        case sentRecordZoneChanges(SentRecordZoneChanges)
        /// The engine begins to report changes of the copy.
        case willFetchChanges
        /// The engine has reported all changes of the copy.
        case didFetchChanges
        /// The engine begins to put changes into the copy.
        case willSendChanges
        /// The engine has put all changes into the copy.
        case didSendChanges
        /// It is not known any more what was deleted since the state was stored, because that was long ago: remove the records
        /// that are not pending. All records of the copy are reported next.
        case didReset

        /// The state of the engine.
        public struct StateUpdate: Sendable {
            /// The state as the app stores it.
            public let stateSerialization: State.Serialization
        }

        /// A change of the account.
        public struct AccountChange: Sendable, Equatable {
            /// What has changed.
            public enum ChangeType: Sendable, Equatable {
                /// The machine has joined an account.
                case signIn(currentUser: String)
                /// It has left the account: remove its records.
                case signOut(previousUser: String)
                /// It has left one account and joined another one: remove the records of the first.
                case switchAccounts(previousUser: String, currentUser: String)
            }

            /// What has changed. If an account was left and joined again, there are two events.
            public let changeType: ChangeType
        }

        /// Changes of zones.
        public struct FetchedDatabaseChanges: Sendable {
            /// The zones that have appeared.
            public internal(set) var modifications: [RecordZone.ID] = []
            /// The zones that were deleted: remove their records. One that is in `modifications` as well was made again.
            public internal(set) var deletions: [(zoneID: RecordZone.ID, reason: RecordZone.DeletionReason)] = []
        }

        /// Changes of records.
        public struct FetchedRecordZoneChanges: Sendable {
            /// The records that were made or changed.
            public internal(set) var modifications: [Record] = []
            /// The records that were deleted.
            public internal(set) var deletions: [Record.ID] = []
        }

        /// What became of changes of zones.
        public struct SentDatabaseChanges: Sendable {
            /// The zones that are in the copy; they are sent to the hub by themselves.
            public internal(set) var savedZones: [RecordZone] = []
            /// The zones that were refused.
            public internal(set) var failedZoneSaves: [(zone: RecordZone, error: RecordError)] = []
            /// The zones that were deleted.
            public internal(set) var deletedZoneIDs: [RecordZone.ID] = []
            /// The zones whose deletion was refused.
            public internal(set) var failedZoneDeletes: [(zoneID: RecordZone.ID, error: RecordError)] = []
        }

        /// What became of changes of records.
        public struct SentRecordZoneChanges: Sendable {
            /// The records that the hub has, with their change tags.
            public internal(set) var savedRecords: [Record] = []
            /// The records that were refused, by the copy or by the hub. They are not sent again: merge, and add them again.
            public internal(set) var failedRecordSaves: [(recordID: Record.ID, error: RecordError)] = []
            /// The records that the hub has deleted.
            public internal(set) var deletedRecordIDs: [Record.ID] = []
            /// The records whose deletion was refused.
            public internal(set) var failedRecordDeletes: [(recordID: Record.ID, error: RecordError)] = []
        }
    }
}
