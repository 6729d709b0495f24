import Glibc
import Platform
import TestSupport

/// The throughput of draining a recording, compared with plain clients of libcurl and libmosquitto that send the same
/// bodies to the same server, in alternating rounds. These have the bodies in memory, and no durable cursor.
enum DrainBenchmark {
    static func run(points: Int, formats: [DrainFormat], rounds: Int) throws {
        let directory = try TemporaryDirectory()
        let bench = try DrainBench(points: points)
        print("load average of the last minute: \(ReachabilityBenchmark.loadAverage)")
        print("draining \(points) points, the medians of \(rounds) alternating rounds:")
        for format in formats {
            let peer = try DrainPeer(format, of: bench.route, points: points, in: directory)
            var ours: [Drain] = []
            var peers: [Drain] = []
            for _ in 0..<rounds {
                peers.append(try peer.drain())
                ours.append(try bench.drain(format))
            }
            report(format, points, ours, peers)
        }
        print("load average of the last minute: \(ReachabilityBenchmark.loadAverage)")
    }

    private static func report(_ format: DrainFormat, _ points: Int, _ ours: [Drain], _ peers: [Drain]) {
        func line(_ name: String, _ drains: [Drain], _ more: String = "") {
            let seconds = Distribution(drains.map(\.seconds)).median
            func each(_ part: (Drain) -> Double) -> String {
                Text.fixed(Distribution(drains.map(part)).median * 1e6 / Double(points), 1)
            }
            print(
                "  \(name)  \(Text.fixed(Double(points) / seconds, 0)) points/s, \(Text.fixed(seconds, 3)) s; processor"
                    + " time a point: \(each(\.processorSeconds)) µs, the server's \(each(\.serverSeconds)) µs\(more)")
        }
        func peak(_ part: (Drain) -> Int) -> Int { ours.map(part).max() ?? 0 }
        print("\(format.title):")
        line(
            "waymark", ours,
            "; resident at most: waymarkd \(peak(\.daemonPeak)) KiB, waymark-upload \(peak(\.uploaderPeak)) KiB")
        line("peer in C", peers)
        let ratios = zip(ours, peers).map { $1.seconds / $0.seconds }
        print(
            "  waymark / peer  \(Text.fixed(Distribution(ratios).median, 2)) (median of the rounds; all of them:"
                + " \(ratios.map { Text.fixed($0, 2) }.joined(separator: " ")))")
    }
}
