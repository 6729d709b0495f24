import Authorization
import Interfaces
import Location
import Platform
import Varlink

// Single positions, and streams of positions.

extension LocationService {
    // Single positions

    func getPosition(_ call: Call, _ request: PositionRequest, _ session: ClientSession, _ decision: Decision) {
        guard !answerAtOnce(call, request, session, decision) else { return }
        let feed: PositionFeed = decision.access == .full ? .full : .reduced
        do throws(SystemError) {
            let query = try PositionQuery(
                call, request: request, session: session, delay: feed == .reduced ? ReducedReceiver.showingDelay : 0
            ) { [weak self] query in self?.timedOut(query) }
            queries[ObjectIdentifier(call)] = query
            begin(query)
            use(feed, for: query)
        } catch {
            fail(call, error)
        }
    }

    /// Replies with the current position, or with an error if none will come. Returns whether the call has ended.
    private func answerAtOnce(
        _ call: Call, _ request: PositionRequest, _ session: ClientSession, _ decision: Decision
    ) -> Bool {
        if decision.access == .full {
            if let fix = latestFix(for: session), age(fix) <= request.greatestAge,
                request.desiredAccuracy.map({ fix.horizontalAccuracy <= $0 }) ?? true,
                let disclosure = decision.view(of: fix)
            {
                call.reply(disclosure, for: session)
                return true
            }
            guard let reason = pipeline.hopeless else { return false }
            call.fail(reason)
            return true
        }
        switch reduced.answer(maximumAge: request.greatestAge) {
        case .now(let fix):
            guard let disclosure = decision.view(of: fix) else { return false }
            call.reply(disclosure, for: session)
            return true
        case .wait: return false
        case .never(let reason):
            call.fail(reason)
            return true
        }
    }

    /// The newest fix that a client may have: the current one, or an earlier one if the client was allowed to have it
    /// at its arrival.
    private func latestFix(for session: ClientSession) -> Fix? {
        if let fix = pipeline.currentFix { return fix }
        return pipeline.latestFix.flatMap { authorizer.couldHaveFull(session, at: $0.receivedAt) ? $0 : nil }
    }

    private func timedOut(_ query: PositionQuery) {
        if query.feed == .reduced {
            query.answer(reduced.unavailable ?? .noFix)
        } else if let fix = pipeline.currentFix {
            // A current fix that is accurate enough was not new enough at its arrival, otherwise it would have been the
            // reply.
            query.answer(query.accepts(fix) ? .stale : .inaccurate)
        } else {
            query.answer(pipeline.unavailable ?? .noFix)
        }
        end(query.call)
    }

    /// Continues the query under the present authorization, or ends it.
    func review(_ query: PositionQuery) {
        let decision = authorizer.decide(for: query.session)
        if let reason = decision.refusal {
            refuse(query.call, reason, query.session)
            return end(query.call)
        }
        let feed: PositionFeed = decision.access == .full ? .full : .reduced
        guard feed != query.feed else { return }
        use(feed, for: query)
        if answerAtOnce(query.call, query.request, query.session, decision) { end(query.call) }
    }

    // Streams

    func monitor(_ call: Call, _ request: MonitorRequest, _ session: ClientSession) {
        let stream = PositionStream(call, request: request, session: session, authorizer: authorizer) {
            [weak self] deadline in self?.sendDelayed(by: deadline)
        }
        streams[ObjectIdentifier(call)] = stream
        begin(stream)
        review(stream)
    }

    /// Continues, pauses or ends the stream under the present authorization.
    func review(_ stream: PositionStream) {
        let decision = authorizer.decide(for: stream.session)
        switch decision.access {
        case .full: resume(stream, on: .full, decision)
        case .reduced: resume(stream, on: .reduced, decision)
        case .refused(let reason) where reason.isPause: pause(stream, reason, decision)
        case .refused(let reason):
            refuse(stream.call, reason, stream.session)
            end(stream.call)
        }
    }

    /// The time after a restart during which a continued stream gets no "no position" update, because there never is a
    /// position right after a start.
    private static let quietTime = Duration.seconds(5)

    private func wait(_ stream: PositionStream) {
        stream.isQuiet = true
        if quietTimer?.isArmed != true { quietTimer?.arm(after: Self.quietTime) }
    }

    /// Sends the reason to every continued stream that still has no position after the quiet time.
    func endQuiet() {
        let now = authorizer.instant
        for stream in streams.values where stream.isQuiet {
            stream.isQuiet = false
            let decision = authorizer.decide(for: stream.session, at: now)
            switch (stream.pause, stream.feed) {
            case (nil, .full):
                if pipeline.currentFix == nil { stream.notify(pipeline.unavailable ?? .noFix, decision) }
            case (nil, .reduced):
                if reduced.current == nil { stream.notify(reduced.unavailable ?? .noFix, decision) }
            default: break
            }
        }
    }

    private func resume(_ stream: PositionStream, on feed: PositionFeed, _ decision: Decision) {
        guard stream.feed != feed || stream.pause != nil else { return stream.sendDelayed(decision) }
        stream.withdraw()
        stream.pause = nil
        stream.awaitPosition()
        use(feed, for: stream)
        var cache = EnvelopeCache(isStationary: feed == .full && motion.isStationary)
        switch feed {
        case .full:
            if let fix = pipeline.currentFix {
                stream.deliver(fix, motion.state, decision, sharing: &cache)
            } else if stream.goesOn {
                wait(stream)
            } else {
                stream.notify(pipeline.unavailable ?? .noFix, decision)
            }
        case .reduced:
            if let fix = reduced.current {
                stream.deliver(fix, decision, sharing: &cache)
            } else if stream.goesOn {
                wait(stream)
            } else {
                stream.notify(reduced.unavailable ?? .noFix, decision)
            }
        case .none: break
        }
        stream.goesOn = false
    }

    private func pause(_ stream: PositionStream, _ reason: Decision.Reason, _ decision: Decision) {
        guard stream.pause != reason else { return }
        stream.pause = reason
        // The person is prompted to confirm Always only when a position is due, so the feed is needed until then.
        let isAwaited = reason == .alwaysUnconfirmed
        let feed: PositionFeed = stream.session.reported.accuracy == .full ? .full : .reduced
        use(isAwaited ? feed : .none, for: stream)
        stream.notify(decision)
        guard isAwaited else { return }
        if feed == .full ? pipeline.currentFix != nil : reduced.current != nil { due(to: stream) }
    }

    private func due(to stream: PositionStream) {
        guard let app = stream.session.process?.app.id else { return }
        prompts.positionDue(to: app)
    }

    // Deliveries

    /// Delivers the first report of an epoch to the streams that requested it.
    func deliverFirst(_ fix: Fix) {
        deliver(on: .full, where: \.acceptsFirstReport) { stream, decision, cache in
            stream.deliverFirst(fix, motion.state, decision, sharing: &cache)
        }
    }

    func deliver(_ fix: Fix) {
        motion.receive(fix)
        observeVisits(fix)
        deliver(on: .full) { stream, decision, cache in
            stream.deliver(fix, motion.state, decision, sharing: &cache)
        }
        let age = age(fix)
        for query in Array(queries.values)
        where query.feed == .full && query.accepts(fix) && age <= max(query.request.greatestAge, Self.recentAge) {
            guard let disclosure = authorizer.decide(for: query.session).view(of: fix) else {
                review(query)
                continue
            }
            query.answer(disclosure)
            end(query.call)
        }
    }

    func deliver(_ fix: ReducedFix) {
        deliver(on: .reduced) { stream, decision, cache in stream.deliver(fix, decision, sharing: &cache) }
        for query in Array(queries.values) where query.feed == .reduced {
            guard let disclosure = authorizer.decide(for: query.session).view(of: fix) else {
                review(query)
                continue
            }
            query.answer(disclosure)
            end(query.call)
        }
    }

    private func deliver(
        on feed: PositionFeed, where isMeant: (PositionStream) -> Bool = { _ in true },
        _ deliver: (PositionStream, Decision, inout EnvelopeCache) -> Void
    ) {
        let now = authorizer.instant
        let access: Decision.Access = feed == .full ? .full : .reduced
        var cache = EnvelopeCache(isStationary: feed == .full && motion.isStationary)
        var others: [PositionStream] = []
        for stream in streams.values where stream.feed == feed && isMeant(stream) {
            let decision = authorizer.decide(for: stream.session, at: now)
            if decision.access == access { deliver(stream, decision, &cache) } else { others.append(stream) }
        }
        for stream in others {
            if stream.pause == .alwaysUnconfirmed { due(to: stream) }
            review(stream)
        }
    }

    func notify(_ reason: PositionUnavailable, on feed: PositionFeed) {
        let now = authorizer.instant
        for stream in streams.values where stream.feed == feed && stream.pause == nil {
            stream.notify(reason, authorizer.decide(for: stream.session, at: now))
        }
        guard feed == .reduced else { return }
        for query in Array(queries.values) where query.feed == .reduced {
            query.answer(reason)
            end(query.call)
        }
    }

    /// Seconds within which a position counts as new: one that came while no daemon ran may be older.
    private static let recentAge = 1.0

    private func age(_ fix: Fix) -> Double {
        Double(clock.monotonicNanoseconds - min(clock.monotonicNanoseconds, fix.receivedAt)) / 1e9
    }
}
