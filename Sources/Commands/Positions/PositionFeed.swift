import CommandLineKit
import Interfaces
import JSONText
import Location
import Platform
import Varlink

/// Positions as the daemon sends them, for the commands that show or write them. A daemon that is just starting, or
/// starts again meanwhile, is waited for.
final class PositionFeed {
    /// One update and the bytes of its position as they came.
    struct Item {
        let update: LocationUpdate
        let position: [UInt8]?
    }

    private let session: Session
    private let daemon: DaemonLink
    private let comesBack: Bool
    private let request: MonitorRequest
    private let interruption: Interruption
    private var stream: DaemonStream?
    private var hasBegun = false

    /// How long a daemon that is just starting is waited for.
    static let patience = Duration.seconds(5)
    private static let forever = Duration.seconds(100 * 365 * 86_400)

    /// Positions of the session's daemon, or of the one behind another socket; `comesBack` says whether a daemon that
    /// ends the connection is expected to start again.
    init(
        _ session: Session, _ request: MonitorRequest, _ interruption: Interruption, socketPath: String? = nil,
        comesBack: Bool = true
    ) throws(CommandFailure) {
        self.session = session
        self.comesBack = comesBack
        daemon = DaemonLink(socketPath: socketPath ?? session.socketPath)
        self.interruption = interruption
        self.request = request
    }

    /// The next update, waited for so long or for ever; nil where none came in time.
    func next(timeout: Duration? = nil) throws(CommandFailure) -> Item? {
        while true {
            let stream = try connected()
            switch try stream.next(timeout: timeout) {
            case .reply(let reply):
                let update = try reply.read(as: MonitorRequest.self).update
                return Item(update: update, position: reply.rawParameter("update", "position"))
            case .nothing: return nil
            case .ended where !comesBack:
                throw .failed("Disconnected", "The Waymark daemon ended the connection.", .notRunning)
            case .ended:
                session.remarks.say("The Waymark daemon closed the connection. Reconnecting.")
                self.stream = nil
                // One that ends every connection at once must not keep this busy.
                try interruption.pause(.milliseconds(200))
            }
        }
    }

    /// The connection, to be watched from outside: readable where an update may have come. Nil while there is none.
    var descriptor: Int32? { stream?.descriptor }

    private func connected() throws(CommandFailure) -> DaemonStream {
        if let stream { return stream }
        // One that was there is waited for as long as it takes.
        let opened = try daemon.stream(
            request, patience: hasBegun ? Self.forever : Self.patience,
            until: interruption)
        (stream, hasBegun) = (opened, true)
        return opened
    }
}

extension MonitorRequest {
    /// What the options of a command ask for.
    init(_ invocation: Invocation) {
        self.init(
            desiredAccuracy: invocation.number("accuracy"), distanceFilter: invocation.number("distance") ?? 0,
            interval: invocation.number("interval") ?? 0, firstReport: invocation.has("first-report"))
    }
}
