import CLinux
import Glibc
import Interfaces
import JSONText
import Location
import Platform
import Synchronization
import TestSupport
import Varlink
import Waymark

/// The delay of a position from the receiver's last byte to a client: through the daemon, and through gpspipe, which is
/// gpsd's own client, on the same gpsd in the same run.
enum LatencyBenchmark {
    static func run(seconds: Int) throws {
        let receiver = try LiveReceiver()
        let daemon = try DaemonProcess(
            gpsd: "127.0.0.1:\(receiver.gpsdPort)", logLevel: "warning", more: ["--simulated"])
        guard let program = ExecutableSearch.find("gpspipe") else {
            throw SystemError("find", code: ENOENT, subject: "gpspipe")
        }
        let pipe = try ChildProcess(
            ChildProcess.Launch(program, ["-w", "127.0.0.1:\(receiver.gpsdPort)"], output: .pipe))
        let (throughPipe, throughDaemon) = (Arrivals(), Arrivals())
        try readLines(of: pipe.outputPipe, into: throughPipe)
        try readUpdates(socketPath: daemon.socketPath, into: throughDaemon)
        // The first epochs pass while both readers connect: they are not counted.
        try receiver.start(seconds: seconds + 3)
        while !receiver.hasEnded { _ = poll(nil, 0, 200) }
        _ = poll(nil, 0, 500)
        report(receiver.times, throughPipe.all, throughDaemon.all)
        _ = try pipe.terminate()
        try daemon.stop()
        try receiver.stop()
    }

    private static func readLines(of descriptor: Int32, into arrivals: Arrivals) throws {
        try DetachedThread.start(name: "gpspipe-reader") {
            var rest: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&entry, 1, -1)
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EAGAIN || errno == EINTR { continue }
                if count <= 0 { return }
                rest.append(contentsOf: buffer[..<count])
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    arrivals.add(Array(rest[..<end]))
                    rest.removeSubrange(...end)
                }
            }
        }
    }

    private static func readUpdates(socketPath: String, into arrivals: Arrivals) throws {
        try DetachedThread.start(name: "daemon-reader") {
            do {
                let stream = try WaymarkClient(socketPath: socketPath).stream(LocationInterface.Method.monitor.rawValue)
                while let reply = try stream.next() { arrivals.add(reply.message) }
            } catch {
                // The daemon was stopped: the run is over.
                return
            }
        }
    }

    private static func report(
        _ sent: [Int64: UInt64], _ lines: [(at: UInt64, bytes: [UInt8])], _ updates: [(at: UInt64, bytes: [UInt8])]
    ) {
        var pipe: [Int64: UInt64] = [:]
        for (at, bytes) in lines {
            guard let json = parse(bytes), json["class"]?.stringValue == "TPV",
                let time = json["time"]?.stringValue.flatMap(microseconds), json["lat"] != nil, pipe[time] == nil
            else { continue }
            pipe[time] = at
        }
        var daemon: [Int64: UInt64] = [:]
        for (at, bytes) in updates {
            guard let position = parse(bytes)?["parameters"]?["update"]?["position"],
                let time = position["timestamp"]?.numberValue
            else { continue }
            daemon[Int64((time * 1_000_000).rounded())] = at
        }
        // The time to find gpsd, its driver and the first fix is not part of the measurement.
        let first = (sent.keys.min() ?? 0) + 3_000_000
        let times = sent.keys.filter { $0 >= first && pipe[$0] != nil && daemon[$0] != nil }
        guard !times.isEmpty else {
            print("nothing to compare: gpspipe gave \(pipe.count) positions, waymarkd \(daemon.count)")
            return
        }
        func latencies(_ arrivals: [Int64: UInt64]) -> Distribution {
            Distribution(
                times.compactMap { time in
                    guard let arrival = arrivals[time], let start = sent[time] else { return nil }
                    return Double(Int64(arrival) - Int64(start)) / 1_000
                })
        }
        let (pipeLatency, daemonLatency) = (latencies(pipe), latencies(daemon))
        let between = Distribution(
            times.compactMap { time in
                guard let left = daemon[time], let right = pipe[time] else { return nil }
                return Double(Int64(left) - Int64(right)) / 1_000
            })
        print("latency from the receiver's sentences to a client, 10 Hz, \(times.count) positions")
        print("  gpspipe             \(pipeLatency.milliseconds)")
        print("  waymarkd            \(daemonLatency.milliseconds)")
        print("  waymarkd − gpspipe  \(between.milliseconds)")
        print(
            "  median: \(Text.fixed((daemonLatency.median - pipeLatency.median) / 1_000, 3)) ms later;"
                + " 99th percentile: \(Text.fixed(daemonLatency.percentile(0.99) / pipeLatency.percentile(0.99), 2))"
                + " times gpspipe's")
    }

    private static func parse(_ bytes: [UInt8]) -> JSON? {
        do throws(JSONError) { return try JSON.parse(bytes) } catch { return nil }
    }

    /// gpsd's times: `2026-06-01T08:00:00.100Z`.
    private static func microseconds(_ text: String) -> Int64? {
        let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
        guard numbers.count >= 6 else { return nil }
        var date = tm()
        date.tm_year = Int32(numbers[0] - 1900)
        date.tm_mon = Int32(numbers[1] - 1)
        date.tm_mday = Int32(numbers[2])
        date.tm_hour = Int32(numbers[3])
        date.tm_min = Int32(numbers[4])
        date.tm_sec = Int32(numbers[5])
        return Int64(timegm(&date)) * 1_000_000 + Int64(numbers.count > 6 ? numbers[6] * 1_000 : 0)
    }
}
