import Glibc
import Platform
import TestSupport

/// A daemon that nobody uses: what it costs to have it.
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
        print("start of the process until its socket answers: \(Distribution(starts).milliseconds)")

        let daemon = try DaemonProcess(gpsd: "localhost:2947", logLevel: "warning")
        // What belongs to the start is over after some seconds: the first commit waits for the commit interval, 1 s.
        _ = poll(nil, 0, 3_000)
        let before = try ProcessCost(of: daemon.processID)
        _ = poll(nil, 0, Int32(seconds) * 1_000)
        let after = try ProcessCost(of: daemon.processID)
        print("idle for \(seconds) s:")
        print("  wake-ups         \(after.voluntarySwitches - before.voluntarySwitches)")
        print("  processor time   \(Text.fixed((after.processorSeconds - before.processorSeconds) * 1_000, 0)) ms")
        print("  resident memory  \(after.resident >> 10) KiB")
        try daemon.stop()
    }
}
