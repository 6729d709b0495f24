import Glibc
import Interfaces
import Platform
import TestSupport
import Varlink

/// Many routes added and removed at once, as by a routing daemon: the cost for a daemon whose client watches a
/// host that none of them concerns, compared with `ip monitor`, and whether relevant changes are still reported.
enum StormBenchmark {
    /// Overruns that are brought about one by one.
    private static let overruns = 50
    /// Storms in which something that matters happens, each some seconds long.
    private static let repetitions = 5

    static func run(changes: Int) throws {
        try OwnNetwork.enter()
        let directory = try TemporaryDirectory()
        let storm = try RouteBatch(routes: changes / 2, in: directory)
        print("load average of the last minute: \(ReachabilityBenchmark.loadAverage)")
        let daemon = try DaemonProcess(configuration: ReachabilityBenchmark.undamped, logLevel: "warning")
        try cost(of: storm, to: daemon)
        try latency(in: storm, of: daemon)
        try afterOverruns(of: daemon, in: directory)
        try daemon.stop()
        print("load average of the last minute: \(ReachabilityBenchmark.loadAverage)")
    }

    /// Processor time and memory, beside a peer that listens and writes into /dev/null.
    private static func cost(of storm: RouteBatch, to daemon: DaemonProcess) throws {
        let client = try DaemonClient(of: daemon, watching: ReachabilityBenchmark.target)
        let monitor = try ChildProcess(
            ChildProcess.Launch(try RouteBatch.program(), ["monitor"], output: .null, isGuarded: true))
        _ = poll(nil, 0, 1_000)
        let processes = [("waymarkd", daemon.processID), ("ip monitor", monitor.processID)]
        let before = try processes.map { try ProcessCost(of: $0.1) }
        try forgetPeak(of: daemon.processID)
        let memory = try ProcessFigures(daemon.processID)
        let seconds = try storm.make() + storm.remove()
        _ = poll(nil, 0, 1_000)
        let after = try processes.map { try ProcessCost(of: $0.1) }
        let peak = try ProcessFigures(daemon.processID)

        print("\(storm.routes * 2) changes of routes in \(Text.fixed(seconds, 1)) s")
        var costs: [Double] = []
        for (index, process) in processes.enumerated() {
            let cost = after[index].processorSeconds - before[index].processorSeconds
            costs.append(cost)
            let dropped = try NetlinkSockets.dropped(by: process.1)
            print(
                "  processor time of \(process.0): \(Text.fixed(cost * 1e3, 0)) ms"
                    + " (\(dropped) messages did not fit into its buffer)")
        }
        print("  waymarkd / ip monitor: \(Text.fixed(costs[0] / max(costs[1], 0.001), 2))")
        print(
            "  memory of waymarkd: \(memory.residentKiB) KiB, then \(peak.residentKiB) KiB, at most \(peak.peakKiB) KiB:"
                + " \(peak.peakKiB - memory.residentKiB) KiB more")
        print("  reported \(client.messages.count - 1) changes of its host to the client, of which there were none")
        _ = try client.end()
        try monitor.terminate()
    }

    /// Resets the kernel's maximum of the resident memory, proc(5): at its start a process has touched more.
    private static func forgetPeak(of process: pid_t) throws(SystemError) {
        let path = "/proc/\(process)/clear_refs"
        let file = try OwnedDescriptor("open", subject: path) { open(path, O_WRONLY | O_CLOEXEC) }
        try retrying("write", subject: path) { write(file.number, "5", 1) }
    }

    /// A relevant change among irrelevant ones.
    private static func latency(in storm: RouteBatch, of daemon: DaemonProcess) throws {
        let client = try DaemonClient(of: daemon, watching: ReachabilityBenchmark.target)
        let dropped = try NetlinkSockets.dropped(by: daemon.processID)
        var run = FlapRun()
        for _ in 0..<repetitions {
            let batch = try storm.start()
            while try batch.exitStatus() == nil { try run.flap(1, every: 3 * FlapRun.interval) }
        }
        _ = poll(nil, 0, 200)
        let overrun = try NetlinkSockets.dropped(by: daemon.processID) - dropped
        print("\(run.changes.count) changes of the host's route meanwhile (\(overrun) messages did not fit)")
        let latencies = run.latencies(try client.end())
        print("  reported after  \(latencies.all.milliseconds)")
        if latencies.missed > 0 { print("  not reported: \(latencies.missed) before the next") }
    }

    /// The daemon is stopped, its buffer overruns, a relevant change happens, the daemon continues: the delay of its
    /// report.
    private static func afterOverruns(of daemon: DaemonProcess, in directory: TemporaryDirectory) throws {
        let client = try DaemonClient(of: daemon, watching: ReachabilityBenchmark.target)
        // More than 1 MiB of messages, whatever the kernel counts for each.
        let storm = try RouteBatch(routes: 10_000, in: directory)
        var route = try RouteSwitch()
        var run = FlapRun()
        var unharmed = 0
        for _ in 0..<overruns {
            let dropped = try NetlinkSockets.dropped(by: daemon.processID)
            daemon.signal(SIGSTOP)
            _ = try storm.make()
            let change = try route.lose()
            if try NetlinkSockets.dropped(by: daemon.processID) == dropped { unharmed += 1 }
            let instant = SystemClock().monotonicNanoseconds
            daemon.signal(SIGCONT)
            run.add(RouteSwitch.Change(isLoss: change.isLoss, before: instant, after: instant))
            _ = poll(nil, 0, 200)
            _ = try storm.remove()
            run.add(try route.gain())
            _ = poll(nil, 0, 1_500)
        }
        let latencies = run.latencies(try client.end())
        print("\(overruns) overruns, each with a loss among what was dropped (\(unharmed) did not overrun)")
        print("  reported after  \(latencies.loss.milliseconds)")
        if latencies.missed > 0 { print("  not reported: \(latencies.missed)") }
    }
}
