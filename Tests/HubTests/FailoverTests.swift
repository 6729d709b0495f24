import Glibc
import Platform
import TestHubs
import TestSupport
import TestTraits
import Testing

/// Two hubs over a database whose primary server is killed, or replaced by its administrator. `WAYMARK_FAILOVERS` makes longer
/// runs.
@Suite(
    .waits, .timeLimit(.minutes(60)), .serialized,
    .enabled(if: PatroniCluster.isInstalled, "Patroni and etcd are not installed"))
struct FailoverTests {
    private static var failovers: Int { getenv("WAYMARK_FAILOVERS").flatMap { Int(String(cString: $0)) } ?? 2 }

    @Test func `no acknowledged save is lost when Patroni replaces the primary server, and hubs go on by themselves`()
        throws
    {
        let cluster = try PatroniCluster()
        let folder = try TemporaryDirectory()
        let options = ["--without-tls", "--database-file", try folder.write("database", cluster.address)]
        let hubs = [try HubProcess(more: options), try HubProcess(more: options)]
        let phone = try hubs[0].join("phone", "alice")
        let devices = hubs.map { HubDevice(port: $0.port, account: phone.account, token: phone.token) }
        try phone.json("POST", "\(HubDevice.container)/private/zones", #"{"save":["notes","observed"]}"#)
        let over = Flag()
        let workers = try (0..<6).map { number in
            // Each uses one hub, so that each hub has to go on.
            try InBackground { try SavingClient([devices[number % 2]], "w\(number)").work(until: over) }
        }
        var token: String?
        var seen: Set<String> = []
        var unavailable: [(kind: String, seconds: Double)] = []
        for round in 0..<Self.failovers {
            _ = poll(nil, 0, 1_000)
            let leader = try #require(cluster.leader)
            let isKill = round % 3 < 2
            let start = SystemClock().monotonicNanoseconds
            if isKill { try cluster.kill(leader) } else { try cluster.switchOver() }
            let isOver = eventually {
                (isKill || cluster.leader != leader)
                    && attempt {
                        try devices[round % 2].save("s\(round)", "x", in: HubDevice.zone("alice", "observed"))
                    } != nil
            }
            unavailable.append(
                (isKill ? "killed" : "switched", Double(SystemClock().monotonicNanoseconds - start) / 1e9))
            #expect(isOver && eventually { cluster.leader == 1 - leader })
            let page = try devices[round % 2].changes(since: token)
            token = page.token
            seen.formUnion(page.changed.keys)
            if isKill { try cluster.start(leader) }
            try cluster.waitForStandby()
        }
        over.set()
        let results = try workers.map { try $0.result() }
        #expect(results.allSatisfy { $0.repeated > 0 })
        try SavingClient.expectAll(results, at: phone, seen: seen, since: token)
        let saved = results.reduce(0) { $0 + $1.saved }
        let times = unavailable.map { "\($0.kind) \(Int($0.seconds * 1_000)) ms" }.joined(separator: ", ")
        print("\(saved) saves acknowledged, none lost, in \(unavailable.count) failovers. Not available: \(times)")
    }
}
