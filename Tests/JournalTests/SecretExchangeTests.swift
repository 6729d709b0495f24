import Cryptography
import Location
import Platform
import Protection
import TestSupport
import Testing

@testable import Journal
@testable import Storage

/// The machine's secret is exchanged for another one, and is missing or another one.
@Suite(.timeLimit(.minutes(15))) struct SecretExchangeTests {
    let directory: TemporaryDirectory
    let clock = ManualClock(utcSeconds: 1_800_000_000)
    let hike = RecordingKey.named("way")

    init() throws { directory = try TemporaryDirectory() }

    /// A closed journal with 1,400 positions, one of them a dead letter. Returns the recording.
    private func fill() async throws -> RecordingID {
        let bench = try Bench(directory.path, clock: clock)
        let id = try await bench.start(hike).id
        for number in 1...1_400 { bench.journal.record(.step(number), in: id) }
        _ = try await bench.positions(of: id, limit: 0)
        try await bench.reject(id, 300, message: "47.0003 is refused")
        try await bench.close()
        return id
    }

    /// Everything that `fill` has recorded is read.
    private func check(_ id: RecordingID, _ bench: Bench) async throws {
        #expect(try await bench.verify().findings == [])
        #expect(try await bench.verify().unchecked == 0)
        var found: [RecordedPosition] = []
        while true {
            let page = try await bench.positions(of: id, after: found.last?.sequence ?? 0, limit: 500).output
            if page.isEmpty { break }
            found += page
        }
        let isWhole =
            found.map(\.position).prefix(1_399) == (1...1_400).filter { $0 != 300 }.map { .step($0) }.prefix(1_399)
        #expect(isWhole, "\(found.count) from \(found.first?.sequence ?? 0)")
        #expect(try await bench.deadLetters(of: id).output.map(\.position) == [.step(300)])
    }

    private func secret(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    private func put(_ bytes: [UInt8]?, as name: String) throws {
        if directory.names().contains(name) { #expect(try run(["rm", directory.file(name)]) == 0) }
        if let bytes { try directory.write(name, bytes: bytes) }
    }

    private func wrapped() throws -> Set<[UInt8]> {
        let database = try Database(path: "\(directory.path)/journal.db", isReadOnly: true)
        var all: Set<[UInt8]> = []
        try Statement(database, "SELECT wrapped FROM segments", as: "test").run([]) { row in
            all.insert(row.withBytes(0) { Array($0) })
            return true
        }
        return all
    }

    @Test func `an exchanged secret opens everything, also what is recorded afterwards, and the former one nothing`()
        async throws
    {
        let id = try await fill()
        let old = try directory.bytes("machine.secret")
        let before = try wrapped()
        var bench = try Bench(directory.path, clock: clock)
        bench.journal.record(.step(1_401), in: id)
        let report = try await bench.renewMachineSecret()
        #expect(report.hasExchanged && report.problem == nil && report.formerPath != nil)
        bench.journal.record(.step(1_402), in: id)
        try await check(id, bench)
        #expect(try directory.bytes("machine.secret") != old)
        #expect(try directory.bytes("machine.secret.former") == old)
        // Again: the former one is there still, so that nothing else is made.
        let new = try directory.bytes("machine.secret")
        #expect(try await bench.renewMachineSecret().problem == nil)
        #expect(try directory.bytes("machine.secret") == new)
        // Before the journal is closed, no file has a key as it was wrapped before.
        for key in before {
            for (name, bytes) in try directory.contents() { #expect(bytes.firstRange(of: key) == nil, "\(name)") }
        }
        #expect(try await bench.forgetFormerSecret().formerPath == nil)
        #expect(!directory.names().contains("machine.secret.former"))
        try await bench.close()
        #expect(try wrapped().isDisjoint(with: before) && wrapped().count == before.count + 2)
        // With the old one nothing is opened, and nothing is lost.
        try put(old, as: "machine.secret")
        bench = try Bench(directory.path, clock: clock)
        await #expect(throws: StorageError.self) { try await bench.positions(of: id) }
        try await bench.close()
        try put(new, as: "machine.secret")
        bench = try Bench(directory.path, clock: clock)
        try await check(id, bench)
        try await bench.close()
    }

    @Test func `an exchange continues at the next start, wherever it ended`() async throws {
        let id = try await fill()
        let old = try directory.bytes("machine.secret")
        // The former secret was stored, and the new one was not made.
        try put(old, as: "machine.secret.former")
        var bench = try Bench(directory.path, clock: clock)
        try await check(id, bench)
        // Continued, another one is made.
        #expect(try await bench.renewMachineSecret().hasExchanged)
        try await bench.close()
        let second = try directory.bytes("machine.secret")
        #expect(second != old)
        #expect(try directory.bytes("machine.secret.former") == old)
        // The rows are exchanged, and the former secret was not removed.
        bench = try Bench(directory.path, clock: clock)
        try await check(id, bench)
        #expect(try await bench.renewMachineSecret().hasExchanged == false)
        try await bench.close()
        // Both were stored, and the rows have the former one.
        try put(second, as: "machine.secret.former")
        try put(secret(7), as: "machine.secret")
        bench = try Bench(directory.path, clock: clock)
        try await check(id, bench)
        bench.journal.record(.step(1_401), in: id)
        _ = try await bench.positions(of: id)
        try await bench.close()
        try put(nil, as: "machine.secret.former")
        bench = try Bench(directory.path, clock: clock)
        try await check(id, bench)
        try await bench.close()
    }

    @Test(arguments: ["missing", "another", "both others", "damaged former"])
    func `without the secret of the rows nothing is opened, made or lost`(_ situation: String) async throws {
        let id = try await fill()
        let old = try directory.bytes("machine.secret")
        try put(situation == "missing" ? nil : secret(9), as: "machine.secret")
        if situation == "both others" { try put(secret(8), as: "machine.secret.former") }
        if situation == "damaged former" { try put([1, 2, 3], as: "machine.secret.former") }
        var bench = try Bench(directory.path, clock: clock)
        let error = await #expect(throws: StorageError.self) { try await bench.positions(of: id) }
        #expect(error?.reason == .protectedDataUnavailable)
        let report = try await bench.renewMachineSecret()
        let problem = try #require(report.problem)
        #expect(report.secret == nil && problem.contains(situation == "missing" ? "missing" : "former"), "\(problem)")
        // Nothing is sealed with a secret that opens nothing else here.
        bench.journal.record(.step(1_401), in: id)
        _ = try await bench.append(.remark(1))
        #expect(try await bench.verify().unchecked == 1_400)
        try await bench.close()
        #expect(directory.names().contains("machine.secret") == (situation != "missing"))
        // The right order.
        try put(secret(9), as: "machine.secret")
        try put(old, as: "machine.secret.former")
        bench = try Bench(directory.path, clock: clock)
        try await check(id, bench)
        try await bench.close()
    }

    @Test func `a changed segment stays as it is, and the others are exchanged`() async throws {
        let id = try await fill()
        #expect(
            try run([
                "sqlite3", directory.file("journal.db"),
                "UPDATE segments SET wrapped = zeroblob(72) WHERE first = 257 AND isDeadLetter = 0",
            ]) == 0)
        let bench = try Bench(directory.path, clock: clock)
        #expect(try await bench.renewMachineSecret().hasExchanged)
        #expect(try await !bench.verify().findings.isEmpty)
        let first = try await bench.positions(of: id, limit: 256).output.map(\.position)
        let isFirst = first.prefix(256) == (1...256).map { .step($0) }.prefix(256)
        #expect(isFirst)
        #expect(try await bench.positions(of: id, after: 1_300).output.last?.position == .step(1_400))
        try await bench.close()
    }

    @Test func `a secret that the configuration names is exchanged while the journal is open`() async throws {
        var options = JournalOptions()
        let folder = try TemporaryDirectory()
        options.machineSecret = MachineSecretSource(file: folder.file("secret"))
        try folder.write("secret", bytes: secret(1))
        let bench = try Bench(directory.path, options: options, clock: clock)
        let id = try await bench.start(hike).id
        for number in 1...300 { bench.journal.record(.step(number), in: id) }
        _ = try await bench.positions(of: id, limit: 0)
        // Nothing is provided, and a new one without that of before: the present one stays in use.
        #expect(try await bench.renewMachineSecret().formerPath == nil)
        #expect(try run(["rm", folder.file("secret")]) == 0)
        try folder.write("secret", bytes: secret(2))
        let error = await #expect(throws: StorageError.self) { try await bench.renewMachineSecret() }
        #expect(error?.description.contains("secret.former") == true, "\(String(describing: error))")
        bench.journal.record(.step(301), in: id)
        #expect(try await bench.positions(of: id, limit: 1_000).output.count == 301)
        try folder.write("secret.former", bytes: secret(1))
        let report = try await bench.renewMachineSecret()
        #expect(report.hasExchanged && report.formerPath == folder.file("secret.former"))
        bench.journal.record(.step(302), in: id)
        #expect(try await bench.positions(of: id, limit: 1_000).output.count == 302)
        // Of the administrator's files none is removed.
        _ = try await bench.forgetFormerSecret()
        #expect(folder.names().contains("secret.former"))
        try await bench.close()
    }

    @Test(.enabled(if: SmallDisk.isPossible, "needs the right to mount a tmpfs, which root has"))
    func `an exchange is complete although the disk has no room to empty the log, which is done later`() async throws {
        let disk = try SmallDisk(kibibytes: 4_096)
        let log = "\(disk.path)/journal.db-wal"
        var options = JournalOptions()
        options.commitInterval = .seconds(600)
        options.machineSecret = MachineSecretSource(file: directory.file("secret"))
        try put(secret(1), as: "secret")
        var bench = try Bench(disk.path, options: options, clock: clock)
        let id = try await bench.start(hike).id
        for batch in 0..<20 {
            for number in 1...50 { bench.journal.record(.step(batch * 50 + number), in: id) }
            _ = try await bench.positions(of: id, limit: 0)
        }
        do {
            // The log is written from its beginning again: there is room in it, and none in the file for more pages.
            let other = try Database(path: "\(disk.path)/journal.db")
            let busy = try other.integer("PRAGMA wal_checkpoint(RESTART)", as: "restart the log")
            #expect(busy == 0)
        }
        try disk.fill()
        for number in 1_001...2_000 { bench.journal.record(.step(number), in: id) }
        _ = try await bench.positions(of: id, limit: 0)
        #expect(try await bench.statistics().state == .running)
        try put(secret(2), as: "secret")
        try put(secret(1), as: "secret.former")
        #expect(try await bench.renewMachineSecret().hasExchanged)
        #expect(try run(["test", "-s", log]) == 0, "the log was emptied, so that the disk was not full")
        _ = try await bench.positions(of: id)
        disk.free()
        clock.advance(seconds: 10)
        try await bench.append(.remark(1))
        #expect(try await bench.verify().findings == [])
        #expect(try run(["test", "-s", log]) == 1)
        for _ in 0..<2 {
            var found = try await bench.positions(of: id).output.map(\.position)
            found += try await bench.positions(of: id, after: 1_000).output.map(\.position)
            let isWhole = found == (1...2_000).map { .step($0) }
            #expect(isWhole, "\(found.count)")
            try await bench.close()
            try put(nil, as: "secret.former")
            bench = try Bench(disk.path, options: options, clock: clock)
        }
        try await bench.close()
    }
}

extension Bench {
    fileprivate func renewMachineSecret() async throws -> MachineSecretReport {
        try await withCheckedContinuation { continuation in
            journal.renewMachineSecret { continuation.resume(returning: $0) }
        }.get()
    }

    fileprivate func forgetFormerSecret() async throws -> MachineSecretReport {
        try await withCheckedContinuation { continuation in
            journal.forgetFormerSecret { continuation.resume(returning: $0) }
        }.get()
    }
}
