import Glibc

/// Measures the daemon and a peer in one run and prints figures and their ratios. There are no limits: machines differ.
@main
struct Main {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        do {
            switch arguments.first {
            case "latency": try LatencyBenchmark.run(seconds: number(arguments, 60))
            case "watchers": try WatchersBenchmark.run(watchers: number(arguments, 1_000), seconds: 20)
            case "idle": try IdleBenchmark.run(seconds: number(arguments, 60))
            case "reachability":
                try ReachabilityBenchmark.run(
                    flaps: number(arguments, 2_000), peersOnly: arguments.contains("--peers-only"))
            case "netlink-storm": try StormBenchmark.run(changes: number(arguments, 200_000))
            case "netlink-resident": try ResidentBenchmark.run(routes: number(arguments, 100_000), flaps: 400)
            case "recording": try RecordingBenchmark.run(rounds: number(arguments, 9))
            case "recording-backlog": try BacklogBenchmark.run(positions: number(arguments, 10_000_000))
            case "protection": try ProtectionBenchmark.run(positions: number(arguments, 1_000_000))
            case "upload-flaps": try UploadFlapBenchmark.run(flaps: number(arguments, 300))
            case "upload-drain":
                let formats = arguments.compactMap { DrainFormat(rawValue: $0) }
                try DrainBenchmark.run(
                    points: number(arguments, 100_000), formats: formats.isEmpty ? DrainFormat.allCases : formats,
                    rounds: option("--rounds", arguments, 5))
            case "regions": try RegionBenchmark.run(regions: number(arguments, 1_000_000))
            case "regions-sealed": try RegionBenchmark.runSealed(regions: number(arguments, 100_000))
            case "regions-start": try RegionBenchmark.start(arguments.dropFirst().first ?? ".")
            case "hub": try HubBenchmark.run(waiting: number(arguments, 10_000))
            case "sharing": try SharingBenchmark.run(descendants: number(arguments, 10_000))
            case "first-fetch":
                try FirstFetchBenchmark.run(
                    records: number(arguments, 100_000), rounds: option("--rounds", arguments, 3))
            case "assets": try AssetBenchmark.run(rounds: number(arguments, 3))
            case "hub-postgresql": try DatabaseBenchmark.run(rounds: number(arguments, 3))
            case "queries":
                try QueryBenchmark.run(
                    records: number(arguments, 100_000),
                    database: getenv("WAYMARK_BENCHMARK_DATABASE").map { String(cString: $0) })
            case "subscriptions": try SubscriptionBenchmark.run(subscriptions: number(arguments, 10_000))
            case "json": try JSONBenchmark.run(rounds: number(arguments, 9))
            default:
                print(
                    """
                    usage: waymark-benchmark latency [SECONDS] | watchers [COUNT] | idle [SECONDS]
                           waymark-benchmark reachability [FLAPS] [--peers-only]
                           waymark-benchmark netlink-storm [CHANGES] | netlink-resident [ROUTES]
                           waymark-benchmark recording [ROUNDS] | recording-backlog [POSITIONS]
                           waymark-benchmark protection [POSITIONS]
                           waymark-benchmark upload-flaps [FLAPS]
                           waymark-benchmark upload-drain [POINTS] [FORMAT...] [--rounds COUNT]
                           waymark-benchmark json [ROUNDS]
                           waymark-benchmark regions [COUNT] | regions-sealed [COUNT]
                           waymark-benchmark hub [WAITING] | hub-postgresql [ROUNDS] | queries [RECORDS]
                           waymark-benchmark subscriptions [COUNT] | sharing [RECORDS]
                           waymark-benchmark first-fetch [RECORDS] [--rounds COUNT] | assets [ROUNDS]

                      latency           from the receiver to a client, compared with gpspipe on the same gpsd, 10 Hz
                      watchers          COUNT clients at 10 Hz: which fall behind, and the processor time of each
                                        delivery, compared with gpsd's own to its clients
                      idle              wake-ups, resident memory and time to readiness of a daemon without clients, and
                                        of one whose clients wait for a change of the network
                      reachability      from a change in the kernel to a client, compared with a bare netlink socket,
                                        ip monitor and GLib's GNetworkMonitor on the same changes
                      netlink-storm     processor time and memory while CHANGES routes are added and removed, compared
                                        with ip monitor, and how soon a client gets relevant changes among them
                      netlink-resident  the same changes with ROUTES routes in the table as without
                      recording         positions into the journal, fifty a transaction, compared with a program in C that
                                        inserts the same rows with the same settings
                      recording-backlog time to readiness and resident memory of a daemon with POSITIONS pending positions
                      protection        sealing and opening rows, a journal with POSITIONS of each class, compared with a
                                        program in C that stores them plain, the lock, and deriving a key from a passphrase
                      upload-flaps      from a change in the kernel to an uploader's pause, and to the first byte that its
                                        server receives afterwards
                      upload-drain      how fast POINTS pending points are sent, with processor time and
                                        memory, compared with programs in C that send the same: for all formats, or
                                        for geojson, overland, owntracks, mqtt or tls, which is geojson over TLS
                      regions           import, size, start and cost of COUNT regions, compared with SpatiaLite and
                                        PostGIS on the same circles
                      regions-sealed    COUNT regions in a sealed file, compared with a plain one
                      hub               saves, pushes while WAITING machines wait, and a first fetch, compared with the
                                        rules of records in this process
                      hub-postgresql    saves into a hub over PostgreSQL, compared with a program in C that runs the same
                                        statements with libpq
                      subscriptions     a save to the public database while COUNT accounts subscribe to records of its type
                      sharing           a record is shared with RECORDS records below it, compared with their whole zone
                      first-fetch       a machine fetches RECORDS records, compared with nginx and curl for the same bytes
                                        and SQLite alone for the same rows
                      assets            a file of 250 MiB, and 250 of 1 MiB, from an app to one on another machine, compared
                                        with synchronized copies, digests, and nginx and curl for the same files
                      json              reading the messages of clients and the daemon, compared with json-c

                    Network benchmarks need root, and run in a private network, which is removed at their end.
                    """)
                exit(arguments.isEmpty ? 0 : 2)
            }
        } catch {
            print("waymark-benchmark: \(error)")
            exit(1)
        }
    }

    private static func number(_ arguments: ArraySlice<String>, _ fallback: Int) -> Int {
        arguments.dropFirst().first.flatMap { Int($0) } ?? fallback
    }

    private static func option(_ name: String, _ arguments: ArraySlice<String>, _ fallback: Int) -> Int {
        guard let place = arguments.firstIndex(of: name) else { return fallback }
        return arguments[(place + 1)...].first.flatMap { Int($0) }.map { max(1, $0) } ?? fallback
    }
}
