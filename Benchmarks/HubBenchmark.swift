import Cryptography
import Glibc
import Hub
import JSONText
import Location
import Platform
import Records
import RecordsSQLite
import Synchronization
import TestSupport
import Varlink

/// A hub on loopback without TLS, in a folder on the disk: saves, pushes to many waiting machines, and a first fetch. The peer
/// of saves is the same rules over the same engine in this process, without a server.
enum HubBenchmark {
    static func run(waiting: Int) throws {
        try saves()
        try pushes(waiting: waiting)
        try firstFetch(records: 100_000)
    }

    // Saves

    private static func saves() throws {
        print("saves: records of 200 bytes, each acknowledged after it is on the disk")
        for (clients, batch, requests) in [(1, 1, 400), (16, 1, 4_000), (64, 1, 8_000), (4, 400, 100)] {
            let hub = try RunningHub()
            let first = try hub.join("first")
            _ = try first.exchange(
                "POST", "\(RunningHub.container)/private/zones", key: "zone", body: #"{"save":["notes"]}"#)
            let devices = try (0..<clients).map { try hub.join("d\($0)") }
            let before = try hub.figures.processorMilliseconds
            let start = SystemClock().monotonicNanoseconds
            try RunningHub.save(requests, batch: batch, from: devices)
            let seconds = Double(SystemClock().monotonicNanoseconds - start) / 1e9
            let rate = Double(requests * batch) / seconds
            let processor = Double(try hub.figures.processorMilliseconds - before) * 1_000 / Double(requests * batch)
            let peer = try peerRate(group: batch > 1 ? 1 : clients, batch: batch, requests: requests)
            print(
                "  \(clients) at a time, \(batch) in a request: \(Text.fixed(rate, 0)) records/s,"
                    + " \(Text.fixed(rate / peer, 2)) of the peer's, \(Text.fixed(processor, 1)) µs of processor time each"
            )
        }
    }

    /// Records a second of the rules and the engine in this process, with as many requests in a commit.
    private static func peerRate(group: Int, batch: Int, requests: Int) throws -> Double {
        let folder = try TemporaryDirectory()
        let engine = try SQLiteEngine(folder: folder.path)
        let store = RecordStore(engine, BenchmarkSigner())
        func name<Rule>(_ text: String) -> Name<Rule> {
            guard let name = Name<Rule>(text) else { preconditionFailure("\(text) is no name") }
            return name
        }
        let caller = Caller.device(name("laptop"), of: name("alice"))
        let zone = ZoneID(Container(name("org.example.benchmark")), owner: name("alice"), name("notes"))
        let now = UTCTime(microseconds: SystemClock().utcMicroseconds)
        let zones = ModifyZones(zone.container, of: name("alice"), saves: [zone.name])
        _ = try store.modify(zones, by: caller, key: name("zone"), at: now)
        let bodies = (0..<requests).map { number in
            Array(RunningHub.body((0..<batch).map { "p-\(number)-\($0)" }).utf8)
        }
        let start = SystemClock().monotonicNanoseconds
        for first in stride(from: 0, to: requests, by: group) {
            try engine.gather {
                for number in first..<min(first + group, requests) {
                    guard
                        let request = attempt({ () throws(FormatError) in try ModifyRecords(zone, json: bodies[number])
                        })
                    else { continue }
                    _ = attempt { () throws(EngineFailure) in
                        try store.modify(request, by: caller, key: name("k\(number)"), at: now).answer.json
                    }
                }
            }
        }
        return Double(requests * batch) / (Double(SystemClock().monotonicNanoseconds - start) / 1e9)
    }

    // Pushes

    private static func pushes(waiting: Int) throws {
        ResourceLimits.raiseOpenFiles()
        let hub = try RunningHub()
        let phone = try hub.join("phone")
        let laptop = try hub.join("laptop")
        _ = try phone.exchange(
            "POST", "\(RunningHub.container)/private/zones", key: "zone", body: #"{"save":["notes"]}"#)
        _ = try laptop.exchange("PUT", "\(RunningHub.container)/private/subscriptions/all", key: "s", status: 204)
        _ = try laptop.exchange("PUT", "\(RunningHub.container)/device", key: "d", status: 204)
        // Machines of other accounts: the limits are those of a device and of an account, so they are many devices. A
        // device may wait twice, so half as many devices are enough.
        var idle: [HubClient] = []
        let tokens = try Self.tokens(hub, count: waiting / 2)
        let before = try hub.figures.residentKiB
        for number in 0..<waiting {
            let client = try HubClient(port: hub.port.number, token: tokens[number / 2])
            try client.send("GET", "/v1/pushes?wait=300")
            idle.append(client)
        }
        _ = try eventually {
            try hub.administration()?.call(HubInterface.GetStatistics(), timeout: .seconds(5)).waiting == Int64(waiting)
        }
        let memory = Double(try hub.figures.residentKiB - before) / Double(waiting)
        print("pushes: \(waiting) machines wait, \(Text.fixed(memory, 1)) KiB of the hub's memory each")

        var latencies: [Double] = []
        for number in 0..<500 {
            try laptop.send("GET", "/v1/pushes?wait=60")
            // The request has to wait before the change is made.
            _ = try eventually {
                try hub.administration()?.call(HubInterface.GetStatistics(), timeout: .seconds(5)).waiting
                    == Int64(waiting + 1)
            }
            let answered = Mutex<UInt64>(0)
            try phone.send(
                "POST", "\(RunningHub.notes)/records", key: "k\(number)",
                body: Array(RunningHub.body(["n\(number)"]).utf8))
            _ = try phone.answer(200)
            answered.withLock { $0 = SystemClock().monotonicNanoseconds }
            let pushes = try laptop.answer(200)
            let end = SystemClock().monotonicNanoseconds
            latencies.append(Double(end - answered.withLock { $0 }) / 1_000)
            let body = String(decoding: pushes, as: UTF8.self)
            _ = try laptop.exchange("POST", "/v1/pushes", key: "a\(number)", body: body, status: 204)
        }
        print("  from the answer to a save to the other machine's wake-up: \(Distribution(latencies).milliseconds)")
        try streams(hub, phone, laptop)
        withExtendedLifetime(idle) {}
    }

    /// The same with one stream of events, which the machine need not ask for again after each push.
    private static func streams(_ hub: RunningHub, _ phone: HubClient, _ laptop: HubClient) throws {
        let stream = try HubClient(port: hub.port.number, token: laptop.token)
        try stream.send("GET", "/v1/pushes?wait=300", accepting: "text/event-stream")
        _ = try stream.received(until: ": waiting\n\n")
        var latencies: [Double] = []
        for number in 0..<500 {
            try phone.send(
                "POST", "\(RunningHub.notes)/records", key: "s\(number)",
                body: Array(RunningHub.body(["s\(number)"]).utf8))
            _ = try phone.answer(200)
            let start = SystemClock().monotonicNanoseconds
            let event = String(decoding: try stream.received(until: "}]}\n\n"), as: UTF8.self)
            latencies.append(Double(SystemClock().monotonicNanoseconds - start) / 1_000)
            guard let first = event.firstIndex(of: "{"), let last = event.lastIndex(of: "}") else { continue }
            _ = try laptop.exchange(
                "POST", "/v1/pushes", key: "t\(number)", body: String(event[first...last]), status: 204)
        }
        print("  the same by a stream of events: \(Distribution(latencies).milliseconds)")
    }

    /// Joins devices of as many accounts as are needed, at the pace that the hub permits.
    private static func tokens(_ hub: RunningHub, count: Int) throws -> [String] {
        // Written into the file, because the hub admits one device in a second: the hub is stopped meanwhile.
        var tokens: [String] = []
        hub.process.signal(SIGSTOP)
        defer { hub.process.signal(SIGCONT) }
        tokens.reserveCapacity(count)
        let path = hub.folder.file("hub/records.sqlite")
        var statements = "BEGIN;\n"
        for number in 0..<count {
            let token = RandomBytes.make(32)
            tokens.append(HexText.text(token))
            let digest = HexText.text(Digest.digest(of: Array("device ".utf8) + token))
            statements += "INSERT INTO accountDevices VALUES('idle\(number / 50)','d\(number)',x'\(digest)',0);\n"
        }
        let run = try CompletedProcess.run(
            "/usr/bin/sqlite3", [path], input: statements + "COMMIT;\n", seconds: 120)
        guard run.status == .exited(0) else { throw HubClient.Failure(description: run.error) }
        return tokens
    }

    // First fetch

    private static func firstFetch(records: Int) throws {
        let hub = try RunningHub()
        let phone = try hub.join("phone")
        _ = try phone.exchange(
            "POST", "\(RunningHub.container)/private/zones", key: "zone", body: #"{"save":["notes"]}"#)
        for first in stride(from: 0, to: records, by: 400) {
            let names = (first..<min(first + 400, records)).map { "n\($0)" }
            _ = try phone.exchange("POST", "\(RunningHub.notes)/records", key: "\(first)", body: RunningHub.body(names))
        }
        let laptop = try hub.join("laptop")
        let start = SystemClock().monotonicNanoseconds
        var token = ""
        var pages = 0
        while true {
            let path = "\(RunningHub.notes)/changes" + (token.isEmpty ? "" : "?token=\(token)")
            let page = try laptop.exchange("GET", path)
            pages += 1
            // Only the end of a page is read: what the client does with the records is not measured.
            let end = String(decoding: page.suffix(300), as: UTF8.self)
            guard let mark = end.firstRange(of: #""token":""#) else {
                throw HubClient.Failure(description: "a page without a token")
            }
            token = String(end[mark.upperBound...].prefix { $0 != "\"" })
            if end.contains(#""moreComing":false"#) { break }
        }
        let seconds = Double(SystemClock().monotonicNanoseconds - start) / 1e9
        let mebibytes = Double(laptop.receivedBytes) / 1_048_576
        print(
            "first fetch: \(records) records in \(pages) pages, \(Text.fixed(mebibytes, 1)) MiB in \(Text.fixed(seconds, 2)) s,"
                + " \(Text.fixed(seconds * 1e6 / Double(records), 1)) µs a record")
    }
}
