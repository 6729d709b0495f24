import Authorization
import Interfaces
import Platform
import Varlink
import Waking

/// A client's call of `Waking.Monitor`.
@DaemonActor
final class WakeStream {
    let call: Call
    let session: ClientSession
    let app: AppID
    /// The number of the last event that the client has.
    var after: Int64

    init(_ call: Call, session: ClientSession, app: AppID, after: Int64) {
        self.call = call
        self.session = session
        self.app = app
        self.after = after
    }
}

extension WakingService {
    func monitor(_ call: MethodCall<WakingInterface.Monitor>) throws(WakingInterface.Failure) {
        // A one-way call has no reply, so nothing is sent.
        guard !call.call.request.oneway else { return }
        whenLoaded(call) { [weak self] (call, session, app) throws(WakingInterface.Failure) in
            guard let self else { return }
            let queue = registry.machines[app]?.record.queue ?? WakeQueue()
            if let after = call.parameters.after, after > queue.last {
                throw .noSuchEvent(sequence: after, message: "The last event of this app has the number \(queue.last).")
            }
            let stream = WakeStream(
                call.call, session: session, app: app, after: call.parameters.after ?? queue.acknowledged)
            streams[ObjectIdentifier(call.call)] = stream
            call.call.onEnd = { [weak self, weak stream] in
                if let stream { self?.streams[ObjectIdentifier(stream.call)] = nil }
            }
            send(stream)
        }
    }

    /// Events of an app were stored, or it may know more than before.
    func stored(_ app: AppID) {
        for stream in Array(streams.values) where stream.app == app { send(stream) }
    }

    /// Any app may know more than before.
    func review() {
        for stream in Array(streams.values) { send(stream) }
    }

    /// A connection belongs to another app now, or to none.
    func identityChanged(_ session: ClientSession) {
        for stream in Array(streams.values) where stream.session === session && session.process?.app.id != stream.app {
            streams[ObjectIdentifier(stream.call)] = nil
            stream.call.fail(
                WakingInterface.Failure.notAllowed(message: "This program is no longer the app \(stream.app.name)."))
        }
    }

    /// Sends events until the client has to receive some first, or one comes that the app may not know now: it waits, and the
    /// later ones with it.
    private func send(_ stream: WakeStream) {
        // An event is durable before it is sent, so that its number is not given to another one.
        guard registry.isStored(stream.app) else {
            return registry.whenStored(stream.app) { [weak self, weak stream] in
                if let self, let stream, streams[ObjectIdentifier(stream.call)] != nil { send(stream) }
            }
        }
        guard let queue = registry.machines[stream.app]?.record.queue else { return }
        for event in queue.events(after: stream.after) {
            guard !stream.call.isOver, mayKnow(event.subscription.cause, stream.app) else { return }
            guard stream.call.connection.isDrained else {
                stream.call.connection.whenDrained { [weak self, weak stream] in
                    if let self, let stream, streams[ObjectIdentifier(stream.call)] != nil { send(stream) }
                }
                return
            }
            stream.after = event.sequence
            stream.call.goOn(after: event.sequence)
            stream.call.reply(
                EncodedReply(WakingInterface.Monitor.Reply(event: WakingInterface.Event(event)), continues: true))
        }
    }
}

extension WakingInterface.Event {
    fileprivate init(_ event: WakeEvent) {
        self.init(
            sequence: event.sequence, cause: .init(event.subscription.cause), time: event.time.secondsSinceEpoch)
        switch event.subscription {
        case .visits, .significantChange, .path: break
        case .target(let target): (host, port) = (target.host, target.port)
        case .push(let container): (self.container, subscriptions) = (container.name, event.firedSubscriptions)
        }
    }
}

extension WakeEvent {
    /// The subscriptions that have fired; nil for none.
    var firedSubscriptions: [WakingInterface.FiredSubscription]? {
        fired.isEmpty ? nil : fired.map { .init(database: $0.database.rawValue, name: $0.name) }
    }
}
