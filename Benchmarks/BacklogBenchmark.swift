import Glibc
import Platform
import TestSupport

/// A daemon with very many pending positions of an app: how soon it is ready, and the memory that they need.
enum BacklogBenchmark {
    static func run(positions: Int) throws {
        let directory = try TemporaryDirectory()
        let state = directory.file("state")
        print("load average of the last minute: \(ReachabilityBenchmark.loadAverage)")
        let without = try measure(in: TemporaryDirectory())
        let route = try RecordedRoute(in: state, perTransaction: 4_096)
        let nanoseconds = try route.record(positions)
        try route.close()
        var status = stat()
        guard stat("\(state)/journal.db", &status) == 0 else { throw SystemError("examine", subject: state) }
        print("\(positions) positions recorded in \(nanoseconds / 1_000_000_000) s, \(status.st_size >> 20) MiB")
        let with = try measure(in: directory)
        for (title, figures) in [("no positions", without), ("\(positions) positions wait", with)] {
            print("\(title):")
            print("  start until the socket accepts  \(figures.starts.milliseconds)")
            print("  resident memory                 \(figures.resident >> 10) KiB")
        }
        print("load average of the last minute: \(ReachabilityBenchmark.loadAverage)")
    }

    private static func measure(in directory: TemporaryDirectory) throws -> (starts: Distribution, resident: Int) {
        var starts: [Double] = []
        var resident = 0
        for _ in 0..<20 {
            let began = SystemClock().monotonicNanoseconds
            let daemon = try DaemonProcess(in: directory, logLevel: "warning")
            starts.append(Double(SystemClock().monotonicNanoseconds - began) / 1_000)
            if starts.count == 20 {
                // Work of the start is finished after some seconds.
                _ = poll(nil, 0, 3_000)
                resident = try ProcessCost(of: daemon.processID).resident
            }
            try daemon.stop()
        }
        return (Distribution(starts), resident)
    }
}
