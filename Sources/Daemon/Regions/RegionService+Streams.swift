import Authorization
import Interfaces
import Platform
import RegionStorage
import Varlink

// Streams of events. An event is read from the store, so that it is durable before it is sent, and no queue grows for a slow
// client.

extension RegionService {
    func monitor(_ call: MethodCall<RegionsInterface.Monitor>) throws(RegionsInterface.Failure) {
        // A one-way call has no reply, so nothing is read.
        guard !call.call.request.oneway else { return }
        whenLoaded(call, waitsForUnlock: true) { [weak self] (call, session, owner) throws(RegionsInterface.Failure) in
            guard let self else { return }
            let decision = authorizer.decideRegions(of: owner, for: session)
            if let refusal = decision.refusal, !refusal.isPause { return refuse(call.call, refusal, session) }
            let monitor = try storedMonitor(call.parameters.monitor, of: owner)
            if let after = call.parameters.after, after > monitor.last { throw .noSuchEvent(after, last: monitor.last) }
            let stream = RegionStream(call.call, session: session, key: monitor.key, after: call.parameters.after)
            streams[ObjectIdentifier(call.call)] = stream
            session.locationCall = stream
            call.call.onEnd = { [weak self, weak stream] in
                if let stream { self?.end(stream) }
            }
            read(stream)
        }
    }

    /// The streams of an owner have to stop, pause or continue.
    func review(_ owner: RegionOwner) {
        for stream in Array(streams.values) where stream.key.owner == owner { review(stream) }
    }

    /// A connection belongs to another app now, or to none.
    func identityChanged(_ session: ClientSession) {
        for stream in Array(streams.values) where stream.session === session { review(stream) }
    }

    /// Events of a monitor were stored.
    func stored(_ key: MonitorKey) {
        for stream in Array(streams.values) where stream.key == key {
            switch stream.state {
            case .waiting: read(stream)
            case .busy, .busyAgain: stream.state = .busyAgain
            case .paused: break
            }
        }
    }

    /// A monitor was removed.
    func removed(_ key: MonitorKey) {
        for stream in Array(streams.values) where stream.key == key {
            end(stream)
            stream.call.fail(RegionsInterface.Failure.noSuchMonitor(named: key.name))
        }
    }

    private func review(_ stream: RegionStream) {
        if mayRead(stream), stream.state == .paused { read(stream) }
    }

    /// Whether events may be sent now. Ends the call if they may not be sent later either.
    private func mayRead(_ stream: RegionStream) -> Bool {
        guard !stream.call.isOver, stream.call.connection.isOpen else {
            end(stream)
            return false
        }
        let decision = authorizer.decideRegions(of: stream.key.owner, for: stream.session)
        guard let refusal = decision.refusal else {
            guard registry.watches[stream.key.owner]?.isReadable == true else {
                stream.state = .paused
                return false
            }
            return true
        }
        withdraw(stream)
        if refusal.isPause {
            stream.state = .paused
        } else {
            end(stream)
            refuse(stream.call, refusal, stream.session)
        }
        return false
    }

    /// Closes the connection if an event is still queued for it: bytes cannot be withdrawn in part.
    private func withdraw(_ stream: RegionStream) {
        let connection = stream.call.connection
        guard connection.isOpen, !connection.isDrained else { return }
        withdrawn += 1
        connection.close(.revoked)
    }

    private func read(_ stream: RegionStream) {
        guard mayRead(stream) else { return }
        stream.state = .busy
        registry.store.events(of: stream.key, after: stream.after, limit: RegionQuotas.eventsAtOnce) {
            [weak self, weak stream] result in
            DaemonActor.assumeIsolated {
                if let self, let stream { self.handle(result, stream) }
            }
        }
    }

    private func handle(_ result: Result<RegionEventPage, RegionStorageError>, _ stream: RegionStream) {
        // Read before the authorization was lost, and refused since.
        guard stream.state != .paused, mayRead(stream) else { return }
        switch result {
        case .failure(let error):
            end(stream)
            stream.call.fail(RegionsInterface.Failure(error, of: stream.key.name))
        case .success(let page): send(page.events[...], isComplete: page.isComplete, stream)
        }
    }

    /// Sends events until the client has to receive some first.
    private func send(_ events: ArraySlice<StoredRegionEvent>, isComplete: Bool, _ stream: RegionStream) {
        var rest = events
        while let event = rest.first {
            guard stream.call.connection.isDrained else {
                stream.call.connection.whenDrained { [weak self, weak stream] in
                    // Read again: they may have been erased meanwhile.
                    if let self, let stream, stream.state != .paused { self.read(stream) }
                }
                return
            }
            guard mayRead(stream) else { return }
            let decision = authorizer.decideRegions(of: stream.key.owner, for: stream.session)
            guard let disclosure = decision.view(of: event) else { return }
            rest = rest.dropFirst()
            stream.after = event.sequence
            stream.call.goOn(after: event.sequence)
            stream.session.countPosition(.full)
            stream.call.reply(
                EncodedReply(continues: true) { writer in
                    writer.key("event")
                    disclosure.write(to: &writer)
                })
            guard !stream.call.isOver else { return end(stream) }
        }
        if !isComplete || stream.state == .busyAgain { return read(stream) }
        stream.state = .waiting
    }

    /// Removes a call.
    private func end(_ stream: RegionStream) {
        streams[ObjectIdentifier(stream.call)] = nil
        if stream.session.locationCall === stream { stream.session.locationCall = nil }
    }
}
