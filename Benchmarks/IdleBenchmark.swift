import Glibc
import Platform
import TestSupport

/// The cost of a daemon without clients.
enum IdleBenchmark {
    static func run(seconds: Int) throws {
        var starts: [Double] = []
        for _ in 0..<20 {
            let directory = try TemporaryDirectory()
            let began = SystemClock().monotonicNanoseconds
            let daemon = try DaemonProcess(in: directory, gpsd: "localhost:2947", logLevel: "warning")
            starts.append(Double(SystemClock().monotonicNanoseconds - began) / 1_000)
            try daemon.stop()
        }
        print("start of the process until its socket accepts calls: \(Distribution(starts).milliseconds)")

        let daemon = try DaemonProcess(gpsd: "localhost:2947", logLevel: "warning")
        // Work of the start is finished after some seconds: the first commit waits for the commit interval, 1 s.
        _ = poll(nil, 0, 3_000)
        try measure(daemon, seconds, "idle for \(seconds) s")
        // Wake-ups by changes of the machine's network are counted too: the machine is supposed to be idle.
        let clients = try [nil, ReachabilityBenchmark.target].map { try DaemonClient(of: daemon, watching: $0) }
        _ = poll(nil, 0, 3_000)
        try measure(daemon, seconds, "idle for \(seconds) s with two clients that watch the path and a host")
        for client in clients { _ = try client.end() }
        try daemon.stop()
    }

    private static func measure(_ daemon: DaemonProcess, _ seconds: Int, _ title: String) throws {
        let before = try ProcessCost(of: daemon.processID)
        _ = poll(nil, 0, Int32(seconds) * 1_000)
        let after = try ProcessCost(of: daemon.processID)
        print("\(title):")
        print("  wake-ups         \(after.voluntarySwitches - before.voluntarySwitches)")
        print("  processor time   \(Text.fixed((after.processorSeconds - before.processorSeconds) * 1_000, 0)) ms")
        print("  resident memory  \(after.resident >> 10) KiB")
    }
}
