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
    var process: ClientProcess?
    /// Whether its user is an operator.
    var isOperator: Bool
    /// Why it is of no app.
    var complaint: String?
    /// The state of the manifests under which it was found to be of no app.
    var identifiedUnder: UInt64 = 0
    /// What was declared on it last.
    var activity = Activity.background
    /// The most exact that it was ever given.
    private(set) var given = PositionFeed.none
    /// Whether it was ever given what was recorded.
    var hasRecorded = false
    /// Its call that gets positions or satellites: a connection has one call at a time.
    var locationCall: (any LocationCall)?
    private let ledger: PositionLedger

    init(_ connection: ServerConnection, isOperator: Bool, ledger: PositionLedger) {
        self.connection = connection
        self.ledger = ledger
        userID = connection.peer.userID
        self.isOperator = isOperator
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

    /// What of its standing goes with every update.
    var told: UpdateEnvelope.Told {
        if let standing = process?.app.standing {
            return UpdateEnvelope.Told(status: standing.status, accuracy: standing.accuracy)
        }
        return UpdateEnvelope.Told(status: isOperator ? .authorizedAlways : .notDetermined, accuracy: .full)
    }

    /// Who it is.
    var identity: ClientIdentity {
        ClientIdentity(
            app: process?.app.id, assurance: process?.assurance, isOperator: isOperator, process: process?.id,
            complaint: process == nil ? complaint : nil)
    }
}
