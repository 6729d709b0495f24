import GPSD
import Glibc
import Interfaces
import Journal
import Location
import Platform
import Tracking
import Varlink

/// Builds the daemon's status for `Manage.Status`: the quality of the position, and never its location.
@DaemonActor
final class StatusReport {
    /// The parts that provide the status.
    struct Parts {
        let pipeline: Pipeline
        let reduced: ReducedReceiver
        let server: Server
        let location: LocationService
        let journal: JournalSupervisor
        let authorizer: Authorizer
        let apps: AppDirectory
        let agents: AgentService
        let recordings: RecordingRegistry
        let uploads: UploadsService
        let regions: RegionService
        let reachability: ReachabilityService
        let protection: ProtectionService
    }

    private let parts: Parts
    private let clock: any TimeSource
    private let startedAt: Double
    /// The configuration files read, in order.
    var configuration: [String] = []

    init(_ parts: Parts, clock: any TimeSource) {
        self.parts = parts
        self.clock = clock
        startedAt = Double(clock.utcMicroseconds) / 1_000_000
    }

    /// The present status.
    func status() -> DaemonStatus {
        var status = statusOfParts()
        status.authorization = parts.apps.status(agents: parts.agents.count)
        status.network = parts.reachability.status
        status.recordings = parts.recordings.status
        status.uploads = parts.uploads.status
        status.regions = parts.regions.status
        return status
    }

    private func statusOfParts() -> DaemonStatus {
        var status = DaemonStatus()
        status.version = WaymarkVersion.text
        status.protocol = Int64(WaymarkVersion.protocolNumber)
        status.processID = Int64(getpid())
        status.startedAt = startedAt
        status.receiver = receiver()
        status.fix = fix()
        if let sky = parts.pipeline.currentSky {
            status.satellitesVisible = Int64(sky.satellites.count)
            status.satellitesUsed = Int64(sky.satellites.count { $0.isUsed })
        }
        status.rejected = counts(parts.pipeline.rejected.map { ($0.key.rawValue, $0.value) })
        status.accepted = Int64(parts.pipeline.accepted)
        status.journal = parts.journal.status
        status.clients = clients()
        status.configuration = configuration
        (status.health, status.summary) = health(status)
        return status
    }

    /// The summary that systemd shows to every program on the machine. It reveals nothing of the receiver, nor whether
    /// there is a position or a client that needs one.
    var publicSummary: String { trouble(parts.journal.status)?.summary ?? "Running." }

    /// Whether positions are needed.
    var isReceiverNeeded: Bool { parts.pipeline.isNeeded }

    private func receiver() -> DaemonStatus.Receiver {
        var receiver = DaemonStatus.Receiver()
        receiver.gpsd = parts.pipeline.gpsd.description
        receiver.sleeps = Int64(parts.pipeline.sleep?.count ?? 0)
        if let until = parts.pipeline.asleepUntil {
            let now = clock.monotonicNanoseconds
            receiver.asleepUntil = Double(clock.utcMicroseconds) / 1e6 + Double(until - min(until, now)) / 1e9
        }
        receiver.connections = Int64(parts.pipeline.connectionCount)
        receiver.malformed = Int64(parts.pipeline.malformedLines)
        receiver.silence = parts.pipeline.silentSeconds
        receiver.awaitsAnswer = parts.pipeline.awaitsAnswer
        receiver.reconnectsAfterSilence = Int64(parts.pipeline.reconnectsAfterSilence)
        receiver.undated = parts.pipeline.undatedState
        receiver.reports = counts(parts.pipeline.reportCounts.map { ($0.key, $0.value) })
        receiver.devices = parts.pipeline.receivers.sorted { $0.key < $1.key }.map { path, receiver in
            DaemonStatus.Device(
                path: path, driver: receiver.device.driver.isEmpty ? nil : receiver.device.driver,
                isActive: receiver.device.activated != nil, isStale: receiver.isStale,
                hasReportedPositions: receiver.positionReportedAt != nil)
        }
        if parts.pipeline.gpsd == .none { return receiver }
        switch parts.pipeline.sessionState {
        case .idle: receiver.state = .idle
        case .connecting, .greeting, .resuming:
            receiver.state = .connecting
            receiver.reason = parts.pipeline.lastFailure?.description
        case .waiting(_, _, let failure):
            receiver.state = .waiting
            receiver.reason = failure.description
        case .watching(let version, _, _):
            receiver.state = .watching
            receiver.version = version.release
        }
        return receiver
    }

    private func fix() -> DaemonStatus.Fix? {
        guard let fix = parts.pipeline.currentFix else { return nil }
        let now = clock.monotonicNanoseconds
        return DaemonStatus.Fix(
            age: Double(now - min(now, fix.receivedAt)) / 1e9, horizontalAccuracy: fix.horizontalAccuracy,
            hasAltitude: fix.altitude != nil || fix.ellipsoidalAltitude != nil, isSimulated: fix.isSimulated,
            quality: fix.quality?.rawValue, receiver: fix.receiver)
    }

    private func clients() -> DaemonStatus.Clients {
        let statistics = parts.server.statistics
        let refused = statistics.refusedForUser + statistics.refusedInAll + statistics.refusedForDescriptors
        let lagging = statistics.closed[.lagging, default: 0] + statistics.closed[.tooManyReplies, default: 0]
        return DaemonStatus.Clients(
            connections: Int64(statistics.openConnections), streams: Int64(parts.location.streamCount),
            refused: Int64(refused + statistics.refusedCalls), lagging: Int64(lagging),
            dropped: Int64(statistics.droppedOffers))
    }

    private func counts(_ pairs: [(String, Int)]) -> VarlinkMap<Int64> {
        VarlinkMap(pairs.sorted { $0.0 < $1.0 }.map { VarlinkMap.Entry($0.0, Int64($0.1)) })
    }

    private func health(_ status: DaemonStatus) -> (health: String, summary: String) {
        if let trouble = trouble(status.journal) { return trouble }
        if let fix = status.fix {
            let simulated = fix.isSimulated ? "Simulated position" : "Position"
            return ("ok", "\(simulated) to \(Self.meters(fix.horizontalAccuracy)).")
        }
        if status.receiver.asleepUntil != nil {
            return ("ok", "No position can be needed for a while, so the receiver sleeps.")
        }
        if parts.pipeline.gpsd != .none, !parts.pipeline.isNeeded, status.receiver.state == .idle {
            return ("ok", "No positions are needed, so gpsd is not used.")
        }
        let reason = parts.pipeline.unavailable ?? .noFix
        return (reason.rawValue, reason.message)
    }

    /// The daemon's own problem; nil if there is none.
    private func trouble(_ journal: DaemonStatus.Journal) -> (health: String, summary: String)? {
        switch journal.state {
        case .failed:
            return ("journalFailed", "The journal does not record: \(journal.reason ?? "no reason known").")
        case .full:
            return ("journalFull", "The journal cannot be written now: \(journal.reason ?? "no reason known").")
        case .opening, .running: break
        }
        if let problem = parts.reduced.problem { return ("reducedAccuracy", problem) }
        if let loss = parts.authorizer.loss {
            return (
                "authorizationLost", "Not all decisions about apps could be read: \(loss). Apps must request again."
            )
        }
        return nil
    }

    private static func meters(_ value: Double) -> String {
        value < 10 ? "\((value * 10).rounded() / 10) m" : "\(Int(value.rounded())) m"
    }
}
