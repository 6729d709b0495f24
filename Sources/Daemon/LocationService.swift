import Authorization
import Interfaces
import Location
import Platform
import Varlink

/// `io.waymark.Location`: answers its calls and feeds its streams from the pipeline.
@DaemonActor
final class LocationService {
    private let pipeline: Pipeline
    private let gate = Gate()
    private let clock: any TimeSource
    private var operators: OperatorPolicy
    private var streams: [ObjectIdentifier: PositionStream] = [:]
    private var queries: [ObjectIdentifier: PositionQuery] = [:]
    private var skyStreams: [ObjectIdentifier: SkyStream] = [:]
    private var authorizationStreams: [ObjectIdentifier: (call: Call, told: Standing)] = [:]
    /// Calls refused since the start.
    private(set) var refused = 0

    init(pipeline: Pipeline, operators: OperatorPolicy, clock: any TimeSource) {
        self.pipeline = pipeline
        self.operators = operators
        self.clock = clock
        pipeline.onFix = { [unowned self] in deliver($0) }
        pipeline.onSky = { [unowned self] in deliver($0) }
        pipeline.onUnavailable = { [unowned self] in tell($0) }
    }

    /// Streams of positions or satellites that are open.
    var streamCount: Int { streams.count + skyStreams.count }

    /// The methods that reply more than once.
    static let streaming: Set<String> = ["MonitorAuthorization", "Monitor", "MonitorSatellites"]

    /// Answers a call, now or later.
    func handle(_ call: Call) {
        guard let method = LocationMethod(rawValue: call.request.method) else {
            return call.fail(ServiceError.methodNotImplemented(call.request.method))
        }
        let requester = operators.requester(call.connection.peer)
        switch method {
        case .getAuthorization: reply(Standing(gate, for: requester), to: call, continues: false)
        case .monitorAuthorization: monitorAuthorization(call, requester)
        case .requestWhenInUse, .requestAlways, .requestTemporaryFullAccuracy, .setActivity, .holdInUse:
            call.fail(ServiceError.methodNotImplemented(call.request.method))
        case .getPosition, .monitor, .getSatellites, .monitorSatellites:
            if let refusal = gate.refusal(for: requester) {
                refused += 1
                return call.fail(refusal)
            }
            handleAuthorized(call, method, requester)
        }
    }

    /// Applies a new policy to every call that is open: what is no longer allowed ends now.
    func apply(_ operators: OperatorPolicy) {
        self.operators = operators
        for stream in streams.values { stream.update(operators.requester(stream.call.connection.peer)) }
        for stream in skyStreams.values { stream.update(operators.requester(stream.call.connection.peer)) }
        for query in queries.values where query.update(operators.requester(query.call.connection.peer)) {
            end(query.call)
        }
        for stream in streams.values where stream.call.isOver { end(stream.call) }
        for stream in skyStreams.values where stream.call.isOver { end(stream.call) }
        for (key, (call, told)) in authorizationStreams {
            let standing = Standing(gate, for: operators.requester(call.connection.peer))
            guard standing != told else { continue }
            authorizationStreams[key]?.told = standing
            reply(standing, to: call, continues: true)
        }
    }

    private func handleAuthorized(_ call: Call, _ method: LocationMethod, _ requester: Requester) {
        do throws(ParameterError) {
            switch method {
            case .getPosition: getPosition(call, try PositionRequest(call.parameters), requester)
            case .monitor: monitor(call, try MonitorRequest(call.parameters), requester)
            case .getSatellites: watchSatellites(call, requester, once: true)
            case .monitorSatellites: watchSatellites(call, requester, once: false)
            default: break
            }
        } catch {
            call.fail(error)
        }
    }
}

// Authorization

extension LocationService {
    private func monitorAuthorization(_ call: Call, _ requester: Requester) {
        let standing = Standing(gate, for: requester)
        authorizationStreams[ObjectIdentifier(call)] = (call, standing)
        call.onEnd = { [weak self, unowned call] in self?.authorizationStreams[ObjectIdentifier(call)] = nil }
        reply(standing, to: call, continues: true)
    }

    private func reply(_ standing: Standing, to call: Call, continues: Bool) {
        call.reply(continues: continues) { writer in
            writer.key("authorization")
            standing.write(to: &writer)
        }
    }
}

// Positions

extension LocationService {
    private func getPosition(_ call: Call, _ request: PositionRequest, _ requester: Requester) {
        if let fix = pipeline.latestFix, age(fix) <= request.maximumAge,
            request.desiredAccuracy.map({ fix.horizontalAccuracy <= $0 }) ?? true
        {
            return call.reply(fix, for: requester, through: gate)
        }
        if let reason = pipeline.hopeless { return call.fail(reason) }
        do throws(SystemError) {
            let query = try PositionQuery(call, request: request, requester: requester, gate: gate) {
                [unowned self] query in timedOut(query)
            }
            queries[ObjectIdentifier(call)] = query
            begin(call)
        } catch {
            Log.error("a call cannot wait: \(error)")
            call.fail(ErrorName.timeout.rawValue, message: "The daemon is short of memory. Try again later.")
        }
    }

    private func timedOut(_ query: PositionQuery) {
        if let fix = pipeline.currentFix {
            // One that came in time and was good enough would have been the answer.
            query.answer(query.accepts(fix) ? .stale : .inaccurate)
        } else {
            query.answer(pipeline.unavailable ?? .noFix)
        }
        end(query.call)
    }

    private func monitor(_ call: Call, _ request: MonitorRequest, _ requester: Requester) {
        let stream = PositionStream(call, request: request, requester: requester, gate: gate)
        streams[ObjectIdentifier(call)] = stream
        begin(call)
        if let fix = pipeline.currentFix {
            var cache = EnvelopeCache()
            stream.deliver(fix, sharing: &cache)
        } else {
            stream.tell(pipeline.unavailable ?? .noFix)
        }
    }

    private func deliver(_ fix: Fix) {
        var cache = EnvelopeCache()
        for stream in streams.values { stream.deliver(fix, sharing: &cache) }
        for query in Array(queries.values) where query.accepts(fix) {
            query.answer(fix)
            end(query.call)
        }
    }

    private func tell(_ reason: PositionUnavailable) {
        for stream in streams.values { stream.tell(reason) }
    }

    private func age(_ fix: Fix) -> Double {
        Double(clock.monotonicNanoseconds - min(clock.monotonicNanoseconds, fix.receivedAt)) / 1e9
    }
}

// Satellites

extension LocationService {
    private func watchSatellites(_ call: Call, _ requester: Requester, once: Bool) {
        do throws(SystemError) {
            let stream = try SkyStream(call, requester: requester, gate: gate, once: once) { [unowned self] stream in
                stream.call.fail(pipeline.unavailable ?? .noFix)
                end(stream.call)
            }
            skyStreams[ObjectIdentifier(call)] = stream
            begin(call)
            if let sky = pipeline.currentSky { deliver(sky, to: stream) }
        } catch {
            Log.error("a call cannot wait: \(error)")
            call.fail(ErrorName.timeout.rawValue, message: "The daemon is short of memory. Try again later.")
        }
    }

    private func deliver(_ sky: SkyView) {
        for stream in Array(skyStreams.values) { deliver(sky, to: stream) }
    }

    private func deliver(_ sky: SkyView, to stream: SkyStream) {
        stream.deliver(sky)
        if stream.call.isOver { end(stream.call) }
    }
}

// Lifetime of calls

extension LocationService {
    /// The call needs the receiver from now on, until `end` or its client goes away.
    private func begin(_ call: Call) {
        call.onEnd = { [weak self, unowned call] in self?.end(call) }
        pipeline.need()
    }

    private func end(_ call: Call) {
        let key = ObjectIdentifier(call)
        let wasStream = streams.removeValue(forKey: key) != nil
        let wasQuery = queries.removeValue(forKey: key) != nil
        let wasSky = skyStreams.removeValue(forKey: key) != nil
        if wasStream || wasQuery || wasSky { pipeline.release() }
    }
}
