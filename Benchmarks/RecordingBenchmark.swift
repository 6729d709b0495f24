import Glibc
import Platform
import TestSupport

/// Writing positions into the journal, compared with a program in C that inserts the same rows with the same settings,
/// in alternating rounds.
enum RecordingBenchmark {
    private static let positions = 100_000
    private static let perTransaction = 50

    static func run(rounds: Int) throws {
        let directory = try TemporaryDirectory()
        let program = try PeerProgram.compile("recorder", libraries: ["sqlite3"], in: directory)
        print("load average of the last minute: \(ReachabilityBenchmark.loadAverage)")
        var ours: [Double] = []
        var peers: [Double] = []
        var drains: [Double] = []
        for round in 1...max(rounds, 1) {
            let folder = directory.file("ours-\(round)")
            let route = try RecordedRoute(in: folder, perTransaction: perTransaction)
            ours.append(rate(try route.record(positions)))
            let peer = try CompletedProcess.run(
                program,
                [
                    "\(folder)/journal.db", directory.file("peer-\(round).db"), String(positions),
                    String(perTransaction),
                ], seconds: 600)
            guard peer.status.isSuccess, let nanoseconds = UInt64(peer.output.split(separator: "\n").first ?? "") else {
                throw RecordedRoute.Failure(description: "the peer failed: \(peer.error)")
            }
            peers.append(rate(nanoseconds))
            drains.append(rate(try route.drain()))
            try route.close()
        }
        print(
            "\(positions) positions, \(perTransaction) a transaction, each transaction on the disk, \(rounds) rounds:")
        report("journal", ours)
        report("peer in C", peers)
        report("read, erased", drains)
        let ratios = zip(ours, peers).map { $0 / $1 }
        print(
            "  journal / peer   \(Text.fixed(Distribution(ratios).median, 2)) (median of the rounds),"
                + " \(Text.fixed(Distribution(ours).median / Distribution(peers).median, 2)) (of the medians)")
        print("load average of the last minute: \(ReachabilityBenchmark.loadAverage)")
    }

    private static func rate(_ nanoseconds: UInt64) -> Double { Double(positions) * 1e9 / Double(max(nanoseconds, 1)) }

    private static func report(_ name: String, _ rates: [Double]) {
        let padding = String(repeating: " ", count: 17 - name.utf8.count)
        print(
            "  \(name)\(padding)\(Text.fixed(Distribution(rates).median, 0)) positions/s (median),"
                + " \(Text.fixed(rates.max() ?? 0, 0)) (most)")
    }
}
