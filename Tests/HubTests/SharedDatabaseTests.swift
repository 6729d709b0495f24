import Cryptography
import Glibc
import JSONText
import Platform
import Records
import TestHubs
import TestSupport
import TestTraits
import Testing

@testable import Hub

/// Several hubs with one database of PostgreSQL.
@Suite(
    .waits, .timeLimit(.minutes(15)), .serialized,
    .enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL is not installed"))
struct SharedDatabaseTests {
    private let server: PostgreSQLServer
    private let first: HubProcess
    private let second: HubProcess

    init() throws {
        server = try PostgreSQLServer(isDurable: true)
        let options = ["--without-tls", "--database", server.address(of: "postgres")]
        first = try HubProcess(more: options)
        second = try HubProcess(more: options)
    }

    /// The device at another hub: its token is accepted by all hubs of the database.
    private func device(_ device: HubDevice, at hub: HubProcess) -> HubDevice {
        HubDevice(port: hub.port, account: device.account, token: device.token)
    }

    /// Two devices of an account, which get pushes.
    private func devices() throws -> (phone: HubDevice, laptop: HubDevice) {
        let phone = try first.join("phone", "alice")
        let laptop = try second.join("laptop", "alice")
        try phone.json("POST", "\(HubDevice.container)/private/zones", #"{"save":["notes"]}"#)
        try laptop.json("PUT", "\(HubDevice.container)/private/subscriptions/all", status: 204)
        try laptop.json("PUT", "\(HubDevice.container)/device", status: 204)
        return (phone, laptop)
    }

    @Test func `a device that waits at one hub is woken by a save at another one, also when PostgreSQL was killed`()
        throws
    {
        let (phone, laptop) = try devices()
        for round in 0..<4 {
            let waiting = try InBackground { try laptop.json("GET", "/v1/pushes?wait=100") }
            try second.waitUntilWaiting(1)
            if round == 1 {
                try server.kill()
                try server.start()
            }
            // The first hub needs no repetition where PostgreSQL was not killed.
            #expect(eventually { attempt { try phone.save("n\(round)", "milk") } != nil })
            let push = try #require(try waiting.result()["pushes"]?[0])
            try laptop.json("POST", "/v1/pushes", #"{"pushes":[\#(push)]}"#, status: 204)
        }
        #expect(second.log.contains("pushes of other hubs are received late, until the database is there again"))
    }

    @Test
    func `a device that waits is woken soon although the hub that has stored its push was killed before it said so`()
        throws
    {
        let (_, laptop) = try devices()
        let waiting = try InBackground { try laptop.json("GET", "/v1/pushes?wait=100") }
        try second.waitUntilWaiting(1)
        // A program in place of the hub: its transaction is committed, and then it is killed.
        let client = try ChildProcess(
            ChildProcess.Launch(
                try #require(ExecutableSearch.find("psql")), ["-qAt", "-d", server.address(of: "postgres")],
                input: .pipe, output: .pipe, isGuarded: true))
        let store =
            "INSERT INTO waymark.pushes (container, account, device, owner, zone, subscription, kind, holder, position)"
            + " VALUES ('production/org.example.notes', 'alice', 'laptop', 'alice', 'notes', '', 1, 'alice', 99)"
            + " RETURNING position;\n"
        #expect(store.withCString { write(client.inputPipe, $0, strlen($0)) } == store.utf8.count)
        var answer = [UInt8](repeating: 0, count: 16)
        #expect(eventually { read(client.outputPipe, &answer, 16) > 0 })
        kill(client.processID, SIGKILL)
        let push = try #require(try waiting.result()["pushes"]?[0])
        #expect(push["position"] == 99)
    }

    @Test func `a token of one hub continues at the other one, and a device that is removed there is removed here`()
        throws
    {
        let (phone, laptop) = try devices()
        let page = try phone.changes()
        try phone.save("last", "bread")
        #expect(try device(phone, at: second).changes(since: page.token).changed == ["last": "bread"])
        let pushes = try laptop.json("GET", "/v1/pushes")
        let push = try #require(pushes["pushes"]?[0])
        try laptop.json("POST", "/v1/pushes", #"{"pushes":[\#(push)]}"#, status: 204)
        let waiting = try InBackground { try laptop.send("GET", "/v1/pushes?wait=100") }
        try second.waitUntilWaiting(1)
        _ = try first.call(HubInterface.Remove(account: "alice", device: "laptop"))
        #expect(try waiting.result().status == 401)
    }

    @Test
    func `an asset that is uploaded at two hubs in turn is downloaded from both, and from none once it is deleted`()
        throws
    {
        let (phone, laptop) = try devices()
        let bytes = String(repeating: "a photo of a place. ", count: 150_000)
        var hash = ContentHash()
        hash.update(Array(bytes.utf8))
        let digest = HexText.text(hash.digest)
        let path = "\(phone.notes)/assets/\(digest)"
        let size = bytes.utf8.count
        var offset = 0
        for (number, end) in [700_000, 1_200_000, 2_900_000, size].enumerated() {
            let hub = number.isMultiple(of: 2) ? phone : device(phone, at: second)
            let part = String(decoding: Array(bytes.utf8)[offset..<end], as: UTF8.self)
            let headers = ["Upload-Offset: \(offset)", "Upload-Length: \(size)"]
            #expect(try hub.send("PATCH", path, part, headers: headers).status == (end == size ? 201 : 204))
            // A hub that does not know of the part goes on from where it is.
            #expect(try device(laptop, at: first).send("HEAD", path).headers["upload-offset"] == "\(end)")
            if number == 1 {
                try server.kill()
                try server.start()
                #expect(eventually { attempt { try phone.send("HEAD", path).status } == 204 })
                #expect(eventually { attempt { try laptop.send("HEAD", path).status } == 204 })
            }
            offset = end
        }
        let record = #"{"type":"Note","fields":{"photo":{"asset":{"digest":"\#(digest)","size":\#(size)}}}}"#
        #expect(try phone.send("PUT", "\(phone.notes)/records/n1", record).status == 201)
        let asset = "\(phone.notes)/records/n1/assets/\(digest)"
        for hub in [phone, device(phone, at: second)] {
            #expect(try hub.send("GET", asset).body == bytes)
            let part = try hub.send("GET", asset, headers: ["Range: bytes=699990-700009"])
            #expect(part.status == 206 && part.body.utf8.elementsEqual(Array(bytes.utf8)[699_990..<700_010]))
        }
        #expect(try phone.send("DELETE", "\(phone.notes)/records/n1").status == 200)
        #expect(try device(phone, at: second).send("GET", asset).status == 404)
    }

    @Test func `a new key is refused while hubs run, and ends the change tokens of all hubs`() throws {
        let (phone, _) = try devices()
        try phone.save("first", "milk")
        let token = try phone.changes().token
        func restored() throws -> CompletedProcess {
            try CompletedProcess.run(
                Products.program("waymark-hub"), ["restored", "--database", server.address(of: "postgres")])
        }
        let refused = try restored()
        #expect(refused.status == .exited(1) && refused.error.contains("Stop all hubs"), "\(refused.error)")
        #expect(try device(phone, at: second).changes(since: token).changed.isEmpty)
        for hub in [first, second] { try hub.stop() }
        // The processes of their connections may not have ended yet.
        #expect(try eventually { try restored().status == .exited(0) })
        for hub in [first, second] {
            try hub.start()
            try device(phone, at: hub).json("GET", "\(phone.notes)/changes?token=\(token)", status: 410)
            #expect(try device(phone, at: hub).changes().changed == ["first": "milk"])
        }
    }

    @Test func `no acknowledged save is lost when hubs are killed in turn under load, and clients use the other one`()
        throws
    {
        let (phone, _) = try devices()
        let both = [phone, device(phone, at: second)]
        let over = Flag()
        let workers = try (0..<6).map { number in
            let client = SavingClient(number.isMultiple(of: 2) ? both : both.reversed(), "w\(number)")
            return try InBackground { try client.work(until: over) }
        }
        var token: String?
        var seen: Set<String> = []
        for round in 0..<6 {
            _ = poll(nil, 0, 400)
            try (round.isMultiple(of: 2) ? first : second).crash()
            let page = try both[round % 2].changes(since: token)
            token = page.token
            seen.formUnion(page.changed.keys)
        }
        over.set()
        let results = try workers.map { try $0.result() }
        #expect(results.contains { $0.repeated > 0 })
        try SavingClient.expectAll(results, at: phone, seen: seen, since: token)
    }
}

@Suite struct LoggedFailuresTests {
    @Test func `a failure that repeats is logged once a minute, and another one at once`() {
        var failures = LoggedFailures()
        let (lost, full) = (EngineFailure("read", reason: "lost"), EngineFailure("store", reason: "full"))
        let second: UInt64 = 1_000_000_000
        let expected: [(EngineFailure, UInt64, Bool)] = [
            (lost, 0, true), (lost, 1, false), (lost, 59, false), (lost, 60, true), (lost, 119, false),
            (full, 119, true), (lost, 119, true),
        ]
        for (failure, time, isNew) in expected { #expect(failures.isNew(failure, at: time * second) == isNew) }
    }
}

/// Hubs whose database cannot be reached.
@Suite(.waits, .timeLimit(.minutes(15)), .serialized) struct UnreachableDatabaseTests {
    @Test(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL is not installed"))
    func `a hub that starts before its database serves, and uses it once it is there`() throws {
        let server = try PostgreSQLServer()
        let address = server.address(of: "postgres")
        try server.kill()
        let hub = try HubProcess(more: ["--without-tls", "--database", address])
        #expect(try hub.anybody.send("GET", "/v1").status == 200)
        let refused = attempt { try hub.call(HubInterface.Invite(account: "alice", device: "phone", seconds: nil)) }
        #expect(refused == nil)
        #expect(hub.log.contains("the records cannot be used"))
        try server.start()
        var phone: HubDevice?
        #expect(
            eventually {
                phone = attempt { try hub.join("phone", "alice") }
                return phone != nil
            })
        try phone?.json("POST", "\(HubDevice.container)/private/zones", #"{"save":["notes"]}"#)
    }

    @Test func `a hub whose database does not answer says what it is, and is administrated`() throws {
        let folder = try TemporaryDirectory()
        // Something that listens where a server of PostgreSQL would, and never answers.
        let silent = try UnixSocket.listen(path: folder.file(".s.PGSQL.5432"), mode: 0o600)
        defer { withExtendedLifetime(silent) {} }
        let hub = try HubProcess(more: [
            "--without-tls", "--database", "host=\(folder.path) dbname=records connect_timeout=600",
        ])
        for path in ["/v1", "/v1/openapi.json"] {
            #expect(try hub.anybody.send("GET", path).status == 200)
        }
        _ = try hub.call(HubInterface.GetStatistics())
        // Both of its connections are still being made.
        #expect(!hub.log.contains("cannot"))
        try hub.stop()
    }

    @Test(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL is not installed"))
    func `a device that waits is answered with 503 if its pushes could not be read until the end`() throws {
        let server = try PostgreSQLServer()
        let options = ["--without-tls", "--database", server.address(of: "postgres")]
        let hub = try HubProcess(more: options)
        let phone = try hub.join("phone", "alice")
        let before = try hub.call(HubInterface.GetStatistics()).failures
        // Its token is known from now on.
        try phone.json("GET", "/v1/pushes")
        try server.kill()
        let clock = SystemClock()
        let start = clock.monotonicNanoseconds
        #expect(try phone.send("GET", "/v1/pushes?wait=10").status == 503)
        // The hub counts whole seconds.
        #expect(clock.monotonicNanoseconds - start >= 9_000_000_000)
        #expect(try hub.call(HubInterface.GetStatistics()).failures > before)
    }
}

@Suite struct DatabaseAddressTests {
    @Test(arguments: [
        ("postgres://hub:secret@db/records", true), ("host=db password=secret", true), ("host=db password = x", true),
        ("postgresql:///records?host=/run/postgresql&password=x", true),
        ("postgres://hub@db:5432/records", false), ("postgresql:///records?host=/run/postgresql", false),
        ("host=db user=hub passfile=/etc/waymark/password", false), ("host=/run/postgresql dbname=records", false),
    ])
    func `a password in the command line is noticed`(text: String, hasPassword: Bool) {
        #expect(DatabaseAddress.hasPassword(text) == hasPassword)
    }
}
