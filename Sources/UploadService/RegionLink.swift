import Destinations
import Interfaces
import Platform
import Upload
import Varlink

/// An uploader's connections to the daemon for the regions of its destination: one for calls, one for events, and one
/// that waits for a change of the authorization. If one of them ends, all are closed and opened again after a pause.
///
/// At each opening the monitor is compared with the file, and what differs is changed. A crash between two of these calls
/// leaves a difference that the next opening finds.
@DaemonActor
final class RegionLink {
    /// Receives the events of the link.
    weak var process: UploadProcess?

    /// What a monitor contains, as far as it was read.
    private struct Reading {
        var regions: [RegionsInterface.KnownRegion] = []
    }

    private let monitor: String
    private let socketPath: String
    private let clock: any TimeSource
    private var plan: RegionPlan
    private var caller: LoopClient?
    private var listener: LoopClient?
    private var guardian: LoopClient?
    private var retryTimer: TimerSource?
    private var pause = DoublingPause(first: .milliseconds(100), longest: .seconds(15))
    private var isClosed = true
    /// Whether the events are read.
    private var isListening = false
    /// What the monitor contained, until the events are read.
    private var reading: Reading?
    /// Whether there was no monitor, which the uploader does not know yet. Until it does, connections may end, and the
    /// app may lack the authorization for a long time.
    private var isMonitorNew = false

    /// The time limit for a reply. Regions are stored durably before it.
    private static let patience = Duration.seconds(60)
    /// The interval of attempts after failures whose end is not reported by anything.
    private static let retry = Duration.seconds(60)
    private static let page: Int64 = 1_000

    /// A link for the destination of this name.
    init(name: String, plan: RegionPlan, socketPath: String, clock: any TimeSource) throws(SystemError) {
        monitor = Self.monitor(of: name)
        self.plan = plan
        self.socketPath = socketPath
        self.clock = clock
        retryTimer = try TimerSource(accuracy: .milliseconds(20)) { [weak self] in self?.retryNow() }
    }

    /// The monitor of a destination. The service limits the length of names.
    static func monitor(of name: String) -> String { "waypoints-\(name.prefix(100))" }

    /// Connects now, or as soon as the daemon is available.
    func open() {
        isClosed = false
        connect()
    }

    /// Follows another plan from now on.
    func follow(_ plan: RegionPlan) {
        guard plan != self.plan else { return retryNow() }
        self.plan = plan
        guard !isClosed else { return }
        disconnect()
        connect()
    }

    /// Ends the current wait.
    func retryNow() {
        guard !isClosed, !isListening else { return }
        disconnect()
        connect()
    }

    /// Closes all connections; no event follows.
    func close() {
        isClosed = true
        process = nil
        disconnect()
        retryTimer?.cancel()
    }

    /// Whether an acknowledgement has no reply yet.
    var isStoring: Bool { isListening && (caller?.callsWaiting ?? 0) > 0 }

    // Calls

    /// Acknowledges the events up to this number.
    func acknowledge(upTo number: Int64) {
        guard isListening else { return }
        call(RegionsInterface.Acknowledge(monitor: monitor, upTo: number)) { link, _ in
            link.notify(.acknowledged(upTo: number))
        }
    }

    /// Reads the events after this number in place of those that are being read.
    func read(after number: Int64) {
        guard isListening else { return }
        listen(after: number)
    }

    /// Makes a call; `done` gets the reply. An error ends the connections, unless it is handled by `recover`.
    private func call<Method: VarlinkMethod>(
        _ method: Method, recover: @escaping @DaemonActor (RegionLink, ErrorName?) -> Bool = { _, _ in false },
        _ done: @escaping @DaemonActor (RegionLink, Method.Reply) -> Void
    ) {
        caller?.call(method, timeout: Self.patience) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let reply): done(self, reply)
            case .failure(let error):
                if case .reply(let name, _) = error, recover(self, ErrorName(rawValue: name)) { return }
                failed(error)
            }
        }
    }

    // The connections

    private func connect() {
        guard !isClosed, caller == nil else { return }
        if let problem = plan.problem { return notify(.lost(isWithdrawn: false, message: problem)) }
        guard let client = connection() else { return }
        caller = client
        if case .regions = plan { readPage(Reading()) } else { removeMonitor() }
    }

    private func connection() -> LoopClient? {
        LoopClient.daemon(at: socketPath, clock: clock) { [weak self] in self?.fail($0) }
    }

    private func removeMonitor() {
        call(
            RegionsInterface.Remove(monitor: monitor),
            recover: { link, error in
                // No monitor, and a daemon that knows no regions has none either.
                guard error == .regionsNoSuchMonitor || error == nil else { return false }
                link.disconnect()
                return true
            }
        ) { link, _ in link.disconnect() }
    }

    // The regions

    /// Reads the regions of the monitor, page by page.
    private func readPage(_ reading: Reading) {
        let request = RegionsInterface.Show(
            monitor: monitor, after: reading.regions.last?.region.identifier, limit: Self.page, coordinates: true)
        call(
            request,
            recover: { link, error in
                guard error == .regionsNoSuchMonitor else { return false }
                link.isMonitorNew = true
                link.change(Reading())
                return true
            }
        ) { link, reply in
            var reading = reading
            reading.regions += reply.regions
            if reply.isComplete || reply.regions.isEmpty { link.change(reading) } else { link.readPage(reading) }
        }
    }

    private func change(_ reading: Reading) {
        guard case .regions(let file) = plan else { return }
        // A monitor without regions does not exist.
        guard !file.regions.isEmpty else { return removeMonitor() }
        let difference = RegionDifference(from: reading.regions.map(\.region), to: file)
        stage(difference.batches[...], difference, reading)
    }

    /// Stages the additions, which take effect together.
    private func stage(
        _ batches: ArraySlice<[RegionsInterface.Region]>, _ difference: RegionDifference, _ reading: Reading
    ) {
        guard let batch = batches.first else {
            guard !difference.additions.isEmpty else { return remove(difference, reading) }
            return call(RegionsInterface.Commit(monitor: monitor)) { link, _ in link.remove(difference, reading) }
        }
        call(RegionsInterface.Add(monitor: monitor, regions: batch, staged: true)) { link, _ in
            link.stage(batches.dropFirst(), difference, reading)
        }
    }

    private func remove(_ difference: RegionDifference, _ reading: Reading) {
        guard !difference.removals.isEmpty else { return begin(reading) }
        call(RegionsInterface.Remove(monitor: monitor, identifiers: difference.removals)) { link, _ in
            link.begin(reading)
        }
    }

    // The events

    /// Reads the events. Only the daemon decides whether the app may have them; what its authorization says comes first,
    /// because a stream without an event has no reply.
    private func begin(_ reading: Reading) {
        self.reading = reading
        call(LocationInterface.GetAuthorization()) { link, reply in
            if reply.authorization.permitsRegions { link.open(reading) }
            link.listen(after: nil)
        }
    }

    private func open(_ reading: Reading) {
        let known = Dictionary(
            reading.regions.compactMap { region in KnownSide(region).map { (region.region.identifier, $0) } }
        ) { first, _ in first }
        self.reading = nil
        isListening = true
        let isNew = isMonitorNew
        isMonitorNew = false
        notify(.opened(isNew: isNew, known))
    }

    private func listen(after number: Int64?) {
        listener?.close()
        listener = connection()
        let request = RegionsInterface.Monitor(monitor: monitor, after: number)
        listener?.stream(request) { [weak self] result, _ in
            guard let self else { return }
            switch result {
            case .success(let reply):
                pause.reset()
                if let reading { open(reading) }
                notify(.happened(BorderEvent(reply.event)))
            case .failure(let error): failed(error)
            }
        }
    }

    // Failures

    private func failed(_ error: VarlinkError) {
        guard case .reply(let name, _) = error else {
            // A closed connection is reported separately.
            if case .system = error { fail("the daemon does not keep up: \(error)") }
            if case .protocolViolation = error { fail("the daemon's reply is not valid") }
            return
        }
        switch ErrorName(rawValue: name) {
        case .accuracyReduced:
            withhold(
                "regions need positions of full accuracy: `waymark authorize APP always --precise` permits them")
        case .denied, .deniedGlobally, .notDetermined, .notInUse: withhold(error.words)
        case .restricted, .manifestMissing, .accountSuspended: withhold(error.words, whateverIsAuthorized: true)
        case .regionsNoSuchMonitor, .regionsNoSuchEvent, .regionsNothingStaged: fail(error.words)
        default: fail(error.words, after: Self.retry)
        }
    }

    /// The app may not have the events at present. Each change of its authorization is a reason to try again.
    private func withhold(_ message: String, whateverIsAuthorized: Bool = false) {
        disconnect()
        notify(.lost(isWithdrawn: true, message: message))
        guard !isClosed, caller == nil else { return }
        retryTimer?.arm(after: Self.retry, clock: clock)
        guard let client = connection() else { return }
        var isFirst = true
        guardian = client
        client.stream(LocationInterface.MonitorAuthorization(), timeout: Self.patience) { [weak self] result, _ in
            guard let self, case .success(let reply) = result else { return }
            defer { isFirst = false }
            guard isFirst else { return retryNow() }
            // The authorization may have changed since the refusal.
            if !whateverIsAuthorized, reply.authorization.permitsRegions {
                retryTimer?.arm(after: pause.next(), clock: clock)
            }
        }
    }

    private func fail(_ message: String, after delay: Duration? = nil) {
        disconnect()
        notify(.lost(isWithdrawn: false, message: message))
        guard !isClosed, caller == nil else { return }
        retryTimer?.arm(after: delay ?? pause.next(), clock: clock)
    }

    private func disconnect() {
        (isListening, reading) = (false, nil)
        for client in [caller, listener, guardian] { client?.close() }
        (caller, listener, guardian) = (nil, nil, nil)
        retryTimer?.disarm()
    }

    private func notify(_ event: RegionLinkEvent) { process?.receive(event) }
}

extension LocationInterface.Authorization {
    /// Whether the app may have events of regions, if no restriction forbids it.
    fileprivate var permitsRegions: Bool { accuracy == .full && status.isAuthorized }
}
