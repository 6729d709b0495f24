import JSONText
import Synchronization

extension SyncEngine {
    /// Up to where an engine has read the copy, and the changes that it has to send. The app stores it with every `stateUpdate`
    /// event, together with what it has read before; a change that it adds is durable then.
    public final class State: Sendable {
        /// A change of a record that is to be sent.
        public enum PendingRecordZoneChange: Hashable, Sendable {
            /// The record is to be saved.
            case saveRecord(Record.ID)
            /// The record is to be deleted.
            case deleteRecord(Record.ID)

            /// Which record it is.
            public var recordID: Record.ID {
                switch self {
                case .saveRecord(let id), .deleteRecord(let id): id
                }
            }
        }

        /// A change of a zone that is to be sent.
        public enum PendingDatabaseChange: Hashable, Sendable {
            /// The zone is to be made.
            case saveZone(RecordZone)
            /// The zone is to be deleted.
            case deleteZone(RecordZone.ID)

            /// Which zone it is.
            public var zoneID: RecordZone.ID {
                switch self {
                case .saveZone(let zone): zone.zoneID
                case .deleteZone(let id): id
                }
            }
        }

        /// The state as the app stores it.
        public struct Serialization: Equatable, Sendable {
            let progress: SyncEngineProgress

            init(_ progress: SyncEngineProgress) { self.progress = progress }

            /// The state of these bytes; nil if they are none, or of a newer release.
            public init?(encoded bytes: [UInt8]) {
                guard let json = try? JSON.parse(bytes, maximumValues: .max), let progress = SyncEngineProgress(json)
                else {
                    return nil
                }
                self.progress = progress
            }

            /// The state as bytes, JSON.
            public func encoded() -> [UInt8] { progress.json }
        }

        let progress: Mutex<SyncEngineProgress>
        private let inbox: SyncEngineInbox

        init(_ stored: Serialization?, _ inbox: SyncEngineInbox) {
            progress = Mutex(stored?.progress ?? SyncEngineProgress())
            self.inbox = inbox
        }

        /// The changes of records that the engine has not put into the copy yet, in the order in which they were added.
        public var pendingRecordZoneChanges: [PendingRecordZoneChange] { progress.withLock { $0.records.changes } }
        /// The changes of records that are in the copy, and that the hub has not acknowledged yet.
        public var unacknowledgedRecordZoneChanges: [PendingRecordZoneChange] {
            progress.withLock { progress in
                progress.handed.map { $0.value.isDeletion ? .deleteRecord($0.key) : .saveRecord($0.key) }
            }
        }
        /// The changes of zones that the engine has not put into the copy yet, in the order in which they were added.
        public var pendingDatabaseChanges: [PendingDatabaseChange] { progress.withLock { $0.zones.changes } }

        /// Adds changes of records. A change replaces an earlier one of the same record.
        public func add(pendingRecordZoneChanges changes: [PendingRecordZoneChange]) {
            progress.withLock { progress in
                for change in changes { progress.records.add(change, for: change.recordID) }
            }
            inbox.signal()
        }

        /// Removes changes of records that are not to be sent.
        public func remove(pendingRecordZoneChanges changes: [PendingRecordZoneChange]) {
            progress.withLock { progress in
                for change in changes { progress.records.remove(change, for: change.recordID) }
            }
        }

        /// Adds changes of zones. A change replaces an earlier one of the same zone.
        public func add(pendingDatabaseChanges changes: [PendingDatabaseChange]) {
            progress.withLock { progress in
                for change in changes { progress.zones.add(change, for: change.zoneID) }
            }
            inbox.signal()
        }

        /// Removes changes of zones that are not to be sent.
        public func remove(pendingDatabaseChanges changes: [PendingDatabaseChange]) {
            progress.withLock { progress in
                for change in changes { progress.zones.remove(change, for: change.zoneID) }
            }
        }
    }
}
