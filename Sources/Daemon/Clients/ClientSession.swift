import Authorization
import Location
import Platform
import Varlink

/// What the daemon keeps about a connection: whose it is, and what was declared on it.
@DaemonActor
final class ClientSession {
    /// Nil once the connection is gone.
    private(set) weak var connection: ServerConnection?
    /// The user it was made by.
    let userID: UInt32
    /// The process of an app that made it; nil where it is of no app, or that process has ended.
    var process: ClientProcess? {
        didSet {
            // What another program declared on the connection is not this one's.
            if let declarer, let app = process?.app.id, app != declarer {
                activity = .background
            }
            if process != nil { declarer = nil }
            keepNote()
        }
    }
    /// The app that declared what was declared before a restart, until it is found out who the client is now.
    private var declarer: AppID?
    /// Whether its user is an operator.
    var isOperatorsUser: Bool
    /// Whether its process may do what its user may: it lives, and is of no app that is held to be one.
    var standsForUser = false
    /// The app that it was before a restart; nil where it is new, or was of none.
    private let formerApp: AppID?
    /// Why it is of no app.
    var complaint: String?
    /// Why it is of none, where that is because nothing that is stored of its user is used.
    var suspension: String?
    /// The state of the manifests under which it was found to be of no app.
    var identifiedUnder: UInt64 = 0
    /// The same for whether it stands for its user.
    var evaluatedUnder: UInt64 = 0
    /// What was declared on it last.
    var activity = Activity.background {
        didSet { if activity != oldValue { keepNote() } }
    }
    /// The most exact that it was ever given.
    private(set) var given = PositionFeed.none {
        didSet { if given != oldValue { keepNote() } }
    }
    /// The most exact that it may have been given of what was recorded.
    private(set) var givenRecorded = PositionFeed.none {
        didSet { if givenRecorded != oldValue { keepNote() } }
    }
    /// Its call that gets positions or satellites: a connection has one call at a time.
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
    }

    /// Whether it went on over a restart and is the same app's as before.
    var isSameApp: Bool { formerApp != nil && formerApp == process?.app.id }

    /// What is to be known of it after a restart.
    private func keepNote() {
        var note = SessionNote()
        note.app = process?.app.id
        (note.activity, note.given, note.givenRecorded) = (activity, given, givenRecorded)
        connection?.note = note.encoded
    }

    /// Notes that it is given a position.
    func countPosition(_ accuracy: AccuracyAuthorization) {
        ledger.count(accuracy, for: self)
        note(accuracy == .full ? .full : .reduced)
    }

    /// Notes that it is given something as exact as this.
    func note(_ feed: PositionFeed) {
        if given != .full { given = feed }
    }

    /// Notes that it is given rows of a recording that may be as exact as this.
    func note(recorded feed: PositionFeed) {
        givenRecorded = max(givenRecorded, feed)
    }

    /// Whether it is an operator's.
    var isOperator: Bool { isOperatorsUser && standsForUser }

    /// What of its standing goes with every update.
    var reported: UpdateEnvelope.Reported {
        if let authorizationState = process?.app.authorizationState {
            return UpdateEnvelope.Reported(status: authorizationState.status, accuracy: authorizationState.accuracy)
        }
        return UpdateEnvelope.Reported(status: isOperator ? .authorizedAlways : .notDetermined, accuracy: .full)
    }

    /// Who it is.
    var identity: ClientIdentity {
        ClientIdentity(
            app: process?.app.id, assurance: process?.assurance, isOperator: isOperator, process: process?.id,
            complaint: process == nil ? complaint : nil)
    }
}
