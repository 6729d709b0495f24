/// The delays of each listener for the same changes.
struct Comparison {
    static let reader = "netlink reader"
    static let relay = "netlink relay"
    static let glib = "GNetworkMonitor"

    private var latencies: [(name: String, latencies: Latencies)] = []
    /// Changes that were made.
    var changes = 0
    /// Processor time of the daemon meanwhile.
    var processorSeconds = 0.0

    mutating func add(_ more: Latencies, of name: String) {
        if let index = latencies.firstIndex(where: { $0.name == name }) {
            latencies[index].latencies.add(more)
        } else {
            latencies.append((name, more))
        }
    }

    subscript(name: String) -> Latencies? { latencies.first { $0.name == name }?.latencies }

    /// The daemon's.
    var daemon: Latencies? { latencies.first { $0.name.hasPrefix("waymarkd") }?.latencies }

    func report() {
        print("  µs, median / 99 %         \(Self.column("lost"))\(Self.column("found"))\(Self.column("both"))")
        for (name, latencies) in latencies.sorted(by: { $0.name < $1.name }) {
            let columns = [latencies.loss, latencies.gain, latencies.all].map { distribution in
                Self.column(
                    distribution.count == 0
                        ? "-"
                        : "\(Text.fixed(distribution.median, 0)) / \(Text.fixed(distribution.percentile(0.99), 0))")
            }
            let missed = latencies.missed == 0 ? "" : "not reported: \(latencies.missed)"
            print("  \(Self.column(name, 26))\(columns.joined())\(missed)")
        }
        for (name, latencies) in latencies where name.hasPrefix("waymarkd") || name == Self.relay {
            for (peer, share, word) in [(Self.reader, 0.5, "median"), (Self.glib, 0.99, "99th percentile")] {
                guard let other = self[peer] else { continue }
                func ratio(_ of: KeyPath<Latencies, Distribution>) -> String {
                    let divisor = other[keyPath: of].percentile(share)
                    return divisor > 0 ? Text.fixed(latencies[keyPath: of].percentile(share) / divisor, 2) : "-"
                }
                print(
                    "  \(name): the \(word) is \(ratio(\.all)) times the \(peer)'s"
                        + " (lost \(ratio(\.loss)), found \(ratio(\.gain)))")
            }
        }
        if changes > 0, processorSeconds > 0 {
            let cost = processorSeconds * 1e6 / Double(changes)
            print("  processor time of waymarkd for each change: \(Text.fixed(cost, 0)) µs")
        }
    }

    private static func column(_ text: String, _ width: Int = 20) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
