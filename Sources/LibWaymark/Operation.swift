import CWaymark
import Interfaces
import JSONText
import Location
import NetworkPaths
import Platform
import Varlink

/// What a call of the program is to its peer, mostly the daemon: its request, its replies, and what the program receives of them.
final class Operation {
    /// What a reply contains.
    enum Payload {
        case update(LocationUpdate)
        case position(Position)
        case authorization(AppAuthorization)
        case heading(Heading)
        case visit(Visit)
        case region(RegionsInterface.Event)
        case regions([RegionsInterface.KnownRegion], isComplete: Bool)
        case path(NetworkPath)
        case target(TargetReachability)
        case protectedData(waymark_protected_data)
        case launchReason(WakingInterface.GetLaunchReason.Reply)
        case wake(WakingInterface.Event)
        case vendorIdentifier(IdentityInterface.GetIdentifierForVendor.Reply)
        case advertisingIdentifier(IdentityInterface.GetAdvertisingIdentifier.Reply)
        case accountIdentifier(String)
        case tracking(TrackingAuthorizationStatus, IdentityInterface.TrackingObstacle?)
    }

    /// A declared activity, which the program may change.
    final class Declaration {
        var activity: Activity

        init(_ activity: Activity) { self.activity = activity }
    }

    /// Who answers.
    let peer: Peer
    let replies: Conversation.Replies
    let endurance: Conversation.Endurance
    /// The declaration that the operation is; nil for every other one.
    let declaration: Declaration?
    /// The request of a new connection.
    let request: () -> CallRequest
    /// Decodes a reply; nil if there is nothing to report.
    let read: (JSON) throws(VarlinkError) -> Payload?

    private init(
        _ replies: Conversation.Replies, _ endurance: Conversation.Endurance, of peer: Peer = .daemon,
        declaration: Declaration? = nil, request: @escaping () -> CallRequest,
        read: @escaping (JSON) throws(VarlinkError) -> Payload?
    ) {
        self.peer = peer
        self.replies = replies
        self.endurance = endurance
        self.declaration = declaration
        self.request = request
        self.read = read
    }

    /// A call with one reply, which the peer sends within the time after the usual one; nil if a person decides when. With
    /// `more` it is the first reply of a stream, which is then closed.
    static func once<Method: VarlinkMethod>(
        _ method: Method, within time: Duration? = .zero, more: Bool = false, of peer: Peer = .daemon,
        _ payload: @escaping (Method.Reply) -> Payload? = { _ in nil }
    ) -> Operation {
        let request = CallRequest(method, more: more)
        return Operation(
            .one(within: time.map { $0 + Conversation.answerTime }), .once, of: peer, request: { request },
            read: { (json) throws(VarlinkError) in payload(try Method.reply(json)) })
    }

    /// A stream that lasts over restarts of the daemon.
    static func stream<Method: VarlinkMethod>(
        _ method: Method, firstIsLate: Bool = false, _ endurance: Conversation.Endurance = .always,
        _ payload: @escaping (Method.Reply) -> Payload?
    ) -> Operation {
        let request = CallRequest(method, more: true)
        return Operation(
            .many(firstIsLate: firstIsLate), endurance, request: { request },
            read: { (json) throws(VarlinkError) in payload(try Method.reply(json)) })
    }

    /// The declaration of an activity.
    static func activity(_ activity: Activity) -> Operation {
        let declaration = Declaration(activity)
        return Operation(
            .declarations, .always, declaration: declaration,
            request: { CallRequest(LocationInterface.SetActivity(activity: declaration.activity)) },
            read: { (json) throws(VarlinkError) in
                .authorization(try LocationInterface.SetActivity.reply(json).authorization)
            })
    }

    /// The events of a monitor, each once: a daemon that was restarted sends again what is not acknowledged.
    static func regionEvents(of monitor: String, after first: Int64?) -> Operation {
        var after = first
        return Operation(
            .many(firstIsLate: true), .always,
            request: { CallRequest(RegionsInterface.Monitor(monitor: monitor, after: after), more: true) },
            read: { (json) throws(VarlinkError) in
                let event = try RegionsInterface.Monitor.reply(json).event
                if let after, event.sequence <= after { return nil }
                after = event.sequence
                return .region(event)
            })
    }

    /// The events of the app, each once: a daemon that was restarted sends again what is not acknowledged.
    static func wakes(after first: Int64?) -> Operation {
        var after = first
        return Operation(
            .many(firstIsLate: true), .always,
            request: { CallRequest(WakingInterface.Monitor(after: after), more: true) },
            read: { (json) throws(VarlinkError) in
                let event = try WakingInterface.Monitor.reply(json).event
                if let after, event.sequence <= after { return nil }
                after = event.sequence
                return .wake(event)
            })
    }

    /// Visits, each once for its arrival and once for its departure.
    static func visits(since first: Double?) -> Operation {
        var since = first
        var present: Visit?
        return Operation(
            .many(firstIsLate: true), .always,
            request: { CallRequest(LocationInterface.MonitorVisits(since: since), more: true) },
            read: { (json) throws(VarlinkError) in
                let visit = try LocationInterface.MonitorVisits.reply(json).visit
                guard let departure = visit.departure?.secondsSinceEpoch else {
                    if let present, present.arrival == visit.arrival { return nil }
                    present = visit
                    return .visit(visit)
                }
                if let since, departure <= since { return nil }
                since = departure
                present = nil
                return .visit(visit)
            })
    }

    /// Whether protected data can be read, at first and after each change: the daemon reports a state again after a restart, and
    /// while it erases the keys.
    static func protectedDataStates() -> Operation {
        var last: waymark_protected_data?
        return stream(ProtectionInterface.Monitor()) { reply in
            let state = waymark_protected_data(reply, receivedAt: SystemClock().monotonicNanoseconds)
            if let last, state.isRepetition(of: last) { return nil }
            last = state
            return .protectedData(state)
        }
    }
}
