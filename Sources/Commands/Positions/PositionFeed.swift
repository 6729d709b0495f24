import CommandLineKit
import Interfaces
import JSONText
import Location
import Platform
import Varlink

/// Positions from the daemon, for the commands that show or write them. The feed waits for a daemon that is starting,
/// and reconnects to one that restarts.
final class PositionFeed {
    /// One update and the bytes of its position.
    struct Item {
        let update: LocationUpdate
        let position: [UInt8]?
        /// Whether it is the first one of a connection.
        let isFirst: Bool
    }

    private let session: Session
    private let daemon: DaemonLink
    private let comesBack: Bool
    private let request: MonitorRequest
    private let interruption: Interruption
    private var stream: DaemonStream?
    private var hasBegun = false
    private var hasUpdate = false

    /// How long it waits for a daemon that is starting.
    static let patience = Duration.seconds(5)
    private static let forever = Duration.seconds(100 * 365 * 86_400)

    /// Positions of the session's daemon, or of the one at another socket; `comesBack` says whether a daemon that
    /// closes the connection is expected to restart.
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

    /// Waits for the next update, with or without a time limit; nil where none came in time.
    func next(timeout: Duration? = nil) throws(CommandFailure) -> Item? {
        while true {
            let stream = try connected()
            switch try stream.next(timeout: timeout) {
            case .reply(let reply):
                let update = try reply.read(as: MonitorRequest.self).update
                defer { hasUpdate = true }
                return Item(
                    update: update, position: reply.rawParameter("update", "position"), isFirst: !hasUpdate)
            case .nothing: return nil
            case .ended where !comesBack:
                throw .failed("Disconnected", "The Waymark daemon closed the connection.", .notRunning)
            case .ended:
                session.remarks.say("The Waymark daemon closed the connection. Reconnecting.")
                self.stream = nil
                // A pause, because a daemon might close every connection at once.
                try interruption.pause(.milliseconds(200))
            }
        }
    }

    /// The connection's descriptor, to be polled: readable where an update may have come. Nil without a connection.
    var descriptor: Int32? { stream?.descriptor }

    private func connected() throws(CommandFailure) -> DaemonStream {
        if let stream { return stream }
        // A daemon that was lost is waited for without a limit.
        let opened = try daemon.stream(
            request, patience: hasBegun ? Self.forever : Self.patience,
            until: interruption)
        (stream, hasBegun, hasUpdate) = (opened, true, false)
        return opened
    }
}

extension MonitorRequest {
    /// The request for the options of a command.
    init(_ invocation: Invocation) {
        self.init(
            desiredAccuracy: invocation.number("accuracy"), distanceFilter: invocation.number("distance") ?? 0,
            interval: invocation.number("interval") ?? 0,
            activityType: invocation.text("pause").flatMap(LocationInterface.ActivityType.init),
            firstReport: invocation.has("first-report"),
            // Not sent where they are not wanted: an older daemon does not know them.
            significantChanges: invocation.has("significant") ? true : nil,
            pausesAutomatically: invocation.text("pause") == nil ? nil : true,
            maximumDelay: invocation.number("maximum-delay"))
    }
}
