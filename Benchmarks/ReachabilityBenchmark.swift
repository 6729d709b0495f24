import Glibc
import Platform
import TestSupport

/// How soon a loss or gain of the default route is reported: to a client of the daemon, and to programs that listen to
/// the kernel directly, all for the same changes.
enum ReachabilityBenchmark {
    /// The kernel notifies its listeners one after another, the newest first: in each round they start in another
    /// order.
    private static let rounds = 4
    /// No damping: gains are reported as soon as losses.
    static let undamped = "[Reachability]\nSettle=0s\nMaximumSettle=0s\n"
    /// An address of TEST-NET-2, RFC 5737: no host needs to exist there.
    static let target = "198.51.100.7"

    static func run(flaps: Int, peersOnly: Bool) throws {
        try OwnNetwork.enter()
        let directory = try TemporaryDirectory()
        print("load average of the last minute: \(loadAverage)")
        let few = flaps / shareInTurn
        for teller in peersOnly ? [nil] : [Teller.daemon(watching: nil), .daemon(watching: target)] {
            let comparison = try compare(flaps: flaps, with: teller, in: directory)
            print(
                "\(flaps) flaps of the default route, all listeners at once, from before the request to the kernel until the listener"
                    + " knows; socket: until the reply is in the client's socket")
            comparison.report()
        }
        for teller in peersOnly ? [] : [Teller.daemon(watching: nil), .daemon(watching: target), .relay] {
            let comparison = try compare(flaps: few, with: teller, readerHasShortSlices: true, in: directory)
            print(
                "\(few) flaps, all listeners at once, the netlink reader with the time slices of waymarkd and the relay"
            )
            comparison.report()
        }
        for (host, comparison) in try inTurn(flaps: few, in: directory, withDaemon: !peersOnly) {
            print("\(few) flaps for each listener alone, one after the other, waymarkd's client for a \(host)")
            comparison.report()
        }
        if !peersOnly { try losses(count: min(flaps, 500), in: directory) }
        print("load average of the last minute: \(loadAverage)")
    }

    /// The kind of process between the kernel and a client.
    enum Teller {
        /// The daemon, whose client watches a host or the path.
        case daemon(watching: String?)
        /// The least that can.
        case relay
    }

    /// The factor by which fewer flaps are made with the reader with short time slices, and with each listener alone:
    /// six of these take almost as long as all at once.
    private static let shareInTurn = 8

    /// Starts a listener of another project; the reader as it is usually written, or with the time slices that the
    /// daemon requests.
    private static func peers(
        readerHasShortSlices: Bool = false, in directory: TemporaryDirectory
    ) -> [() throws -> any Witness] {
        let arguments = readerHasShortSlices ? ["short-turns"] : []
        return [
            { try PeerProgram("netlink-reader", arguments, called: Comparison.reader, in: directory) },
            { try IPMonitor() },
            { try PeerProgram("glib-monitor", called: Comparison.glib, libraries: ["gio-2.0"], in: directory) },
        ]
    }

    /// As many changes for each listener while no other runs: on a machine with few processors, processes that are
    /// woken together wait for each other. The listeners alternate, so that other load of the machine affects all
    /// alike. Returns a comparison of the peers with a client of each kind, by what it watches.
    private static func inTurn(
        flaps: Int, in directory: TemporaryDirectory, withDaemon: Bool
    ) throws -> [(watched: String, comparison: Comparison)] {
        var (path, host) = (Comparison(), Comparison())
        for _ in 0..<rounds {
            for start in peers(in: directory) {
                let witness = try start()
                let latencies = try flap(flaps / rounds, before: witness)
                path.add(latencies, of: witness.name)
                host.add(latencies, of: witness.name)
            }
            guard withDaemon else { continue }
            let relay = try RelayClient(in: directory)
            let latencies = try flap(flaps / rounds, before: relay)
            path.add(latencies, of: relay.name)
            host.add(latencies, of: relay.name)
            for watched in [nil, target] {
                let daemon = try DaemonProcess(configuration: undamped, logLevel: "warning")
                let witness = try DaemonClient(of: daemon, watching: watched)
                let latencies = try flap(flaps / rounds, before: witness)
                if watched == nil {
                    path.add(latencies, of: witness.name)
                } else {
                    host.add(latencies, of: witness.name)
                }
                try daemon.stop()
            }
        }
        return withDaemon ? [("path", path), ("host", host)] : [("path", path)]
    }

    private static func flap(_ count: Int, before witness: any Witness) throws -> Latencies {
        _ = poll(nil, 0, 500)
        var run = FlapRun()
        try run.flap(count)
        return run.latencies(try witness.end())
    }

    /// The same changes before all witnesses.
    static func compare(
        flaps: Int, with teller: Teller?, readerHasShortSlices: Bool = false, in directory: TemporaryDirectory
    ) throws -> Comparison {
        var comparison = Comparison()
        for round in 0..<rounds {
            var daemon: DaemonProcess?
            var starts = peers(readerHasShortSlices: readerHasShortSlices, in: directory)
            switch teller {
            case .daemon(let host):
                starts.append {
                    let started = try DaemonProcess(configuration: undamped, logLevel: "warning")
                    daemon = started
                    let client = try DaemonClient(of: started, watching: host)
                    client.traceWakes()
                    return client
                }
            case .relay: starts.append { try RelayClient(in: directory) }
            case nil: break
            }
            let order = starts.indices.map { starts[($0 + round) % starts.count] }
            let witnesses = try order.map { try $0() }
            _ = poll(nil, 0, 500)
            let before = try daemon.map { try ProcessCost(of: $0.processID) }
            var run = FlapRun()
            try run.flap(flaps / rounds)
            if let daemon, let before {
                let after = try ProcessCost(of: daemon.processID)
                comparison.processorSeconds += after.processorSeconds - before.processorSeconds
            }
            for witness in witnesses {
                comparison.add(run.latencies(try witness.end()), of: witness.name)
                // Its clients need one more process, and so wait longer for a processor than direct listeners.
                guard let reported = (witness as? DaemonClient)?.inSocket else { continue }
                comparison.add(run.latencies(reported), of: "\(witness.name), socket")
            }
            comparison.changes += run.changes.count
            try daemon?.stop()
        }
        return comparison
    }

    /// Losses with the daemon's default settings. Each is the first of a host that nobody has
    /// watched before, as later flaps settle longer, and the host would be found again too late for the next loss.
    private static func losses(count: Int, in directory: TemporaryDirectory) throws {
        let daemon = try DaemonProcess(logLevel: "warning")
        let reader = try PeerProgram("netlink-reader", called: Comparison.reader, in: directory)
        var route = try RouteSwitch()
        var run = FlapRun()
        var reported = Testimony(losses: [], gains: [])
        for number in 0..<count {
            let client = try DaemonClient(of: daemon, watching: "198.51.\(100 + number / 250).\(1 + number % 250)")
            FlapRun.sleep(until: SystemClock().monotonicNanoseconds + FlapRun.interval)
            run.add(try route.lose())
            FlapRun.sleep(until: SystemClock().monotonicNanoseconds + FlapRun.interval)
            reported.losses += try client.end().losses
            _ = try route.gain()
        }
        var comparison = Comparison()
        comparison.add(run.latencies(try reader.end()), of: reader.name)
        comparison.add(run.latencies(reported), of: "waymarkd, target")
        print("\(count) losses with settings as they are by themselves")
        comparison.report()
        try daemon.stop()
    }

    static var loadAverage: String {
        var averages = [0.0, 0, 0]
        getloadavg(&averages, 3)
        return Text.fixed(averages[0], 2)
    }
}
