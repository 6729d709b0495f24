import Authorization
import Location
import Platform
import Varlink

/// The daemon's state of a connection: its process, and what was declared on it.
@DaemonActor
final class ClientSession {
    /// Nil once the connection is closed.
    private(set) weak var connection: ServerConnection?
    /// The user id of the connection.
    let userID: UInt32
    /// The app process that made the connection; nil if it belongs to no app or has exited.
    var process: ClientProcess? {
        didSet {
            // A declaration that another program made on this connection does not apply to this process.
            if let declarer, let app = process?.app.id, app != declarer {
                activity = .background
            }
            if process != nil { declarer = nil }
            keepNote()
        }
    }
    /// The app that made the declarations before a restart, until the client is identified again.
    private var declarer: AppID?
    /// Whether its user is an operator.
    var isOperatorsUser: Bool
    /// Whether its process has its user's rights: it is running, and it is not an app that confines it.
    var standsForUser = false
    /// The app before a restart; nil if the connection is new or belonged to no app.
    private let formerApp: AppID?
    /// Why it belongs to no app.
    var complaint: String?
    /// Why it belongs to no app, if the reason is that its user's stored data is suspended.
    var suspension: String?
    /// The version of the manifests when it was found to belong to no app.
    var identifiedUnder: UInt64 = 0
    /// The version of the manifests when `standsForUser` was determined.
    var evaluatedUnder: UInt64 = 0
    /// The activity last declared on the connection.
    var activity = Activity.background {
        didSet { if activity != oldValue { keepNote() } }
    }
    /// The highest accuracy ever delivered on the connection.
    private(set) var given = PositionFeed.none {
        didSet { if given != oldValue { keepNote() } }
    }
    /// The highest accuracy that recorded rows delivered on the connection may have had.
    private(set) var givenRecorded = PositionFeed.none {
        didSet { if givenRecorded != oldValue { keepNote() } }
    }
    /// The user whose recorded rows were delivered last on the connection, as far as is known.
    private(set) var recordedUser: UInt32?
    /// Its call that receives positions or satellites. A connection has one call at a time.
    var locationCall: (any LocationCall)?
    private let ledger: PositionLedger

    init(_ connection: ServerConnection, isOperatorsUser: Bool, ledger: PositionLedger) {
        self.connection = connection
        self.ledger = ledger
        userID = connection.peer.userID
        self.isOperatorsUser = isOperatorsUser
        let note = connection.isResting ? SessionNote(decoding: connection.note) : nil
        formerApp = note?.app
        declarer = formerApp
        guard let note else { return }
        (activity, given, givenRecorded) = (note.activity, note.given, note.givenRecorded)
        recordedUser = note.givenRecorded == .none ? nil : note.app?.uid
    }

    /// Whether the connection continued after a restart and belongs to the same app as before.
    var isSameApp: Bool { formerApp != nil && formerApp == process?.app.id }

    /// Stores the state that is needed after a restart.
    private func keepNote() {
        var note = SessionNote()
        note.app = process?.app.id
        (note.activity, note.given, note.givenRecorded) = (activity, given, givenRecorded)
        connection?.note = note.encoded
    }

    /// Counts a delivered position.
    func countPosition(_ accuracy: AccuracyAuthorization) {
        ledger.count(accuracy, for: self)
        note(accuracy == .full ? .full : .reduced)
    }

    /// Records that something with this accuracy is delivered.
    func note(_ feed: PositionFeed) {
        if given != .full { given = feed }
    }

    /// Records that rows of an app's recording are delivered that may have this accuracy.
    func note(recorded feed: PositionFeed, of app: AppID) {
        // An operator's program that is no app reads dead letters of others, as `given` says.
        if process != nil { givenRecorded = max(givenRecorded, feed) }
        recordedUser = app.uid
    }

    /// Whether it acts with an operator's rights.
    var isOperator: Bool { isOperatorsUser && standsForUser }

    /// The part of its authorization that is sent with every update.
    var reported: ReportedAuthorization {
        if let authorizationState = process?.app.authorizationState {
            return ReportedAuthorization(status: authorizationState.status, accuracy: authorizationState.accuracy)
        }
        return ReportedAuthorization(status: isOperator ? .authorizedAlways : .notDetermined, accuracy: .full)
    }

    /// The client's identity.
    var identity: ClientIdentity {
        ClientIdentity(
            app: process?.app.id, assurance: process?.assurance, isOperator: isOperator, process: process?.id,
            complaint: process == nil ? complaint : nil)
    }
}
