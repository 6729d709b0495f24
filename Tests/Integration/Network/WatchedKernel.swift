import Durations
import Glibc
import Netlink
import NetworkPaths
import Platform
import Reachability
import TestSupport
import Testing

/// The reachability of a test's own machine, reported by the parts of the daemon with a clock of their own: no test
/// waits for real time to pass, and nothing happens except by the test.
final class WatchedKernel {
    /// Nanoseconds of a clock that advances only when the test waits.
    private var now: UInt64 = 1_000_000_000
    private let settings: ReachabilitySettings
    private let keys: [TargetKey]
    private var state: ReachabilityState
    private let kernel: KernelInquiry
    private var socket: EventSocket
    private var isHeld = false
    private var deadline: UInt64?
    private var reportedPath: NetworkPath?
    private var reportedTargets: [TargetKey: TargetReachability] = [:]
    /// The problems found in the reports.
    private(set) var problems: [String] = []
    /// How many updates there were.
    private(set) var updates = 0

    /// Watches these hosts on this machine.
    init(_ machine: PrivateNetwork, hosts: [TargetKey]) throws {
        var settings = ReachabilitySettings()
        // The kernel's clock is not this one: its information about routers is to be valid all the time.
        settings.gatewayPatience = .seconds(86_400)
        self.settings = settings
        keys = hosts
        state = ReachabilityState(settings: settings)
        // As the daemon does while nobody watches the path.
        state.reportsAtOnce = true
        state.isPathWatched = false
        kernel = try machine.inside {
            KernelInquiry(exchange: QuerySocket(try NetlinkSocket()), readsDeviceTypes: false)
        }
        socket = try EventSocket(try machine.inside { try NetlinkSocket() })
        perform(state.start(at: now, querying: kernel))
        for key in keys {
            perform(state.watch(key, at: now, querying: kernel))
            reportedTargets[key] = state.target(key)
        }
    }

    /// How much was announced, and how often that was too much.
    var messages: Int { socket.counters.messages }
    var overruns: Int { socket.counters.overruns }
    /// The number of complete queries of the kernel.
    var evaluations: UInt64 { state.evaluations }

    /// Limits the number of bytes that the kernel buffers for the socket.
    func narrow(to bytes: Int32) {
        var bytes = bytes
        _ = setsockopt(socket.number, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Advances the clock, and receives the announcements.
    func iterate(after pause: Duration) {
        now += pause.nanoseconds
        fireTimer()
        // An overrun is reported as an error, also on a socket whose reading is paused.
        var request = pollfd(fd: socket.number, events: isHeld ? 0 : Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 0) > 0 else { return }
        let events = socket.drain()
        if !events.isEmpty { handle(events) }
    }

    /// Lets time pass until nothing is due any more.
    func calmDown() {
        for _ in 0..<1_000 {
            iterate(after: .zero)
            // A router's patience is for later.
            guard let deadline, deadline < now + 3_600_000_000_000 else { return }
            now = max(now, deadline)
        }
        problems.append("timers are due without end")
    }

    /// The difference between the last report and the report to a new client; nil where there is none.
    func difference() -> String? {
        var fresh = ReachabilityState(settings: settings)
        _ = fresh.start(at: now, querying: kernel)
        for key in keys { _ = fresh.watch(key, at: now, querying: kernel) }
        func difference<State: Equatable>(_ subject: String, _ reported: State?, _ now: State?) -> String? {
            reported == now
                ? nil : "\(subject) was reported as \(String(describing: reported))\nand is \(String(describing: now))"
        }
        return difference("the path", state.path.map(Self.content), fresh.path.map(Self.content))
            ?? keys.lazy.compactMap { key in
                difference(key.text, self.state.target(key).map(Self.content), fresh.target(key).map(Self.content))
            }.first
    }

    private static func content(_ path: NetworkPath) -> NetworkPath {
        var path = path
        path.generation = 0
        return path
    }

    private static func content(_ target: TargetReachability) -> TargetReachability {
        var target = target
        target.generation = 0
        return target
    }

    private func handle(_ events: NetworkEvents) { perform(state.handle(events, at: now, querying: kernel)) }

    private func fireTimer() {
        guard let due = deadline, due <= now else { return }
        deadline = nil
        perform(state.timerFired(at: now, querying: kernel))
    }

    private func perform(_ effects: [ReachabilityEffect]) {
        for effect in effects {
            switch effect {
            case .reportPath(let path):
                if let reportedPath {
                    note(
                        path.generation - reportedPath.generation, Self.content(path) != Self.content(reportedPath),
                        path)
                }
                reportedPath = path
            case .reportTarget(let key, let target):
                if let old = reportedTargets[key] {
                    note(target.generation - old.generation, Self.content(target) != Self.content(old), target)
                }
                reportedTargets[key] = target
            case .arm(let instant): deadline = instant
            case .disarm: deadline = nil
            case .holdEvents: isHeld = true
            case .releaseEvents:
                isHeld = false
                handle(socket.drain())
            case .watchAllNeighbours(let isWatching):
                socket.watchesAllNeighbours = isWatching
                if isWatching { perform(state.hearsAllNeighbours(at: now, querying: kernel)) }
            case .continueEvaluation: perform(state.continueEvaluation(at: now, querying: kernel))
            case .lookUp, .lookedUp, .abandonLookup, .recordPath: break
            }
        }
    }

    /// Checks an update: its number is the next, and it differs visibly from the last one.
    private func note(_ steps: Int64, _ isVisible: Bool, _ update: some Any) {
        updates += 1
        if steps != 1 { problems.append("\(steps) numbers further: \(update)") }
        if !isVisible { problems.append("reported twice: \(update)") }
    }
}
