import Interfaces
import JSONText
import Records
import SyncInterface

/// Why a call about records failed, with CloudKit's codes where the meaning is the same.
public struct RecordError: Error, Sendable, CustomStringConvertible {
    /// What kind of error it is.
    public enum Code: Sendable, Equatable, CaseIterable {
        /// The record was changed elsewhere since the app has read it: see `serverRecord`. Merge, and save the merged record.
        case serverRecordChanged
        /// There is no such record, or it was deleted since the app has read it.
        case unknownItem
        /// There is no such zone. Save the zone first.
        case zoneNotFound
        /// The person has deleted the zone with all data of the app. Do not save it again without asking.
        case userDeletedZone
        /// This machine has joined no account. `waymark join` joins one.
        case notAuthenticated
        /// The account may not do this, such as writing a zone that is shared for reading; or the manifest of the app does not
        /// name the container.
        case permissionFailure
        /// The hub cannot be reached at present. Only calls that need it fail with this code.
        case networkUnavailable
        /// `waymark-sync` does not run, or ends just then. Whether a change was made is not known: make it again.
        case serviceUnavailable
        /// There are too many records in a request, or a record is too large. Send less at once.
        case limitExceeded
        /// The change token is that of another copy, or so old that deletions are not known any more. Remove the app's own copy,
        /// and fetch without a token.
        case changeTokenExpired
        /// Another record of the same request was refused, and therefore this one was not changed.
        case batchRequestFailed
        /// The file of an asset cannot be read, or neither this machine nor the hub has the bytes of an asset. To save a record again that
        /// the hub has refused for this reason, set the asset again from its file.
        case assetFileNotFound
        /// A name, value or query is not valid.
        case invalidArguments
        /// The hub has refused the request for another reason.
        case serverRejectedRequest
        /// The copy on this machine is sealed, and nobody has unlocked the data since the machine was started, so that nothing was
        /// read or changed. `waymark unlock` unlocks it.
        case protectedDataUnavailable
        /// The value of an encrypted field cannot be read or saved here: this machine is not trusted with the account's key, which
        /// `waymark sync devices` explains, or the record is in a zone of another account or in the public database.
        case encryptedDataUnavailable
        /// The disk of this machine is full or broken, so that nothing was changed.
        case notStored
        /// `waymark-sync` has another release than the library.
        case incompatibleVersion
    }

    /// What kind of error it is.
    public let code: Code
    /// A sentence for a person, with the next step if it is known.
    public let message: String
    /// The record that the app wanted to save, for `serverRecordChanged`.
    public internal(set) var clientRecord: Record?
    /// The record as it is now, for `serverRecordChanged`; nil if the hub has omitted it.
    public internal(set) var serverRecord: Record?
    /// The record from which the app's change began, for `serverRecordChanged`; nil where it is not known.
    public internal(set) var ancestorRecord: Record?

    /// An error of a kind, with a sentence.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The sentence.
    public var description: String { message }
}

extension RecordError {
    /// An error of a call of `waymark-sync`.
    init(_ error: WaymarkError) {
        switch error {
        case .notRunning(let path, let system):
            self.init(
                .serviceUnavailable,
                "waymark-sync does not listen at \(path) (\(system.description)). Start it with"
                    + " `systemctl --user start waymark-sync.socket`.")
        case .disconnected: self.init(.serviceUnavailable, "waymark-sync has ended the connection. Try again.")
        case .failed(let name, let message, let parameters):
            guard let failure = SyncInterface.Failure(name: name, parameters: parameters) else {
                self.init(.incompatibleVersion, message)
                return
            }
            self.init(failure, message)
        case .notUnderstood, .incompatible: self.init(.incompatibleVersion, error.description)
        default: self.init(.serviceUnavailable, error.description)
        }
    }

    private init(_ failure: SyncInterface.Failure, _ message: String) {
        let code: Code =
            switch failure {
            case .notAllowed: .permissionFailure
            case .invalidArgument: .invalidArguments
            case .noAccount: .notAuthenticated
            case .zoneNotFound: .zoneNotFound
            case .limitExceeded: .limitExceeded
            case .assetNotFound: .assetFileNotFound
            case .networkUnavailable: .networkUnavailable
            case .protectedDataUnavailable: .protectedDataUnavailable
            case .notStored: .notStored
            case .encryptedDataUnavailable: .encryptedDataUnavailable
            case .recordsChanged: .serverRecordChanged
            case .refused, .alreadyJoined, .unsentChanges: .serverRejectedRequest
            }
        self.init(code, message)
    }

    /// Whether the request as a whole failed for a reason that is not in it, so that it can be made again later.
    var isTemporary: Bool {
        switch code {
        case .serviceUnavailable, .notAuthenticated, .networkUnavailable, .notStored, .incompatibleVersion,
            .protectedDataUnavailable:
            true
        default: false
        }
    }

    /// The record was changed since the app has read it.
    static func conflict(_ client: Record, ancestor: Record?, server: Record) -> RecordError {
        var error = RecordError(
            .serverRecordChanged, "The record \(client.recordID.recordName) was changed elsewhere meanwhile.")
        (error.clientRecord, error.ancestorRecord, error.serverRecord) = (client, ancestor, server)
        return error
    }

    /// The reason for which the hub has refused a change of a record that was in the copy.
    init(_ refused: SyncInterface.RefusedChange) {
        let zone = RecordZone.ID(owner: refused.owner, name: refused.zone)
        self.init(refused.outcome, Record.ID(recordName: refused.name, zoneID: zone))
        guard let draft = refused.change["save"]?[0]?["record"] else { return }
        clientRecord = Record(draft, in: zone, changing: ancestorRecord ?? serverRecord)
    }

    /// The reason for which the hub has refused a change of a record.
    init(_ outcome: JSON, _ id: Record.ID) {
        let name = id.recordName
        switch outcome["error"]?.stringValue {
        case "serverRecordChanged":
            self.init(.serverRecordChanged, "The record \(name) was changed elsewhere meanwhile.")
        case "unknownItem": self.init(.unknownItem, "The record \(name) was deleted elsewhere meanwhile.")
        case "notPermitted": self.init(.permissionFailure, "The account may not change the record \(name).")
        case "batchRequestFailed":
            self.init(.batchRequestFailed, "A change that was sent with that of \(name) was refused.")
        case "limitExceeded": self.init(.limitExceeded, "The record \(name) exceeds a limit of the hub.")
        case "typeDiffers": self.init(.invalidArguments, "The record \(name) has another type, which never changes.")
        case "notInSchema":
            self.init(
                .invalidArguments,
                "The record \(name) has a type, a field or a kind of value that the schema of its container does not have."
                    + " Whoever administrates the hub deploys one with `waymark-hub schema`.")
        case "assetNotFound":
            self.init(
                .assetFileNotFound,
                "The hub does not have the file of an asset of the record \(name). Set the asset again from its file, and save"
                    + " the record."
            )
        case "zoneNotFound": self.init(.zoneNotFound, "The zone of the record \(name) was deleted.")
        case "userDeletedZone": self.init(.userDeletedZone, "The person has deleted the zone of the record \(name).")
        case let other:
            self.init(.serverRejectedRequest, "The hub has refused the record \(name): \(other ?? "unknown").")
        }
        serverRecord = outcome["server"].flatMap { Record($0, in: id.zoneID) }
        ancestorRecord = outcome["ancestor"].flatMap { Record($0, in: id.zoneID) }
    }
}
