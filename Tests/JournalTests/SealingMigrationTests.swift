import Glibc
import JSONText
import Location
import Platform
import Protection
import TestSupport
import TestTraits
import Testing

@testable import Journal
@testable import Storage

/// A journal of schema 8, whose positions are plain, is sealed after it was opened.
@Suite(.waits, .timeLimit(.minutes(15))) struct SealingMigrationTests {
    let directory: TemporaryDirectory
    let clock = ManualClock(utcSeconds: 1_800_000_000)
    let hike = RecordingKey.named("way")

    private var journal: PlainJournal { PlainJournal(directory.path) }

    init() throws { directory = try TemporaryDirectory() }

    private func scan() throws -> Int {
        let scanner = CoordinateScanner([11, 20, 300, 1_111, 5_000].map { .step($0) })
        return try directory.contents().reduce(0) { $0 + scanner.count(in: $1.bytes) }
    }

    @Test func `plain positions are sealed, and none is left in the file or the log`() async throws {
        try journal.fill(5_000)
        #expect(try scan() > 0)
        let bench = try Bench(directory.path, clock: clock)
        try await journal.expectComplete(bench, 5_000)
        #expect(try await eventually { try await bench.statistics().rowsToSeal == 0 })
        try await journal.expectComplete(bench, 5_000)
        #expect(try scan() == 0)
        try await bench.close()
        #expect(try scan() == 0)
    }

    @Test func `sealing that a crash interrupts after any transaction is completed`() async throws {
        for transactions in 0...4 {
            #expect(try run(["rm", "-f", "\(directory.path)/journal.db", "\(directory.path)/machine.secret"]) == 0)
            try journal.fill(6_000)
            let machine = try MachineSecretPlace.stateDirectory("\(directory.path)/machine.secret").make()
            let keys = Keyring(AvailableKeys(machine: try MachineKey.derived(from: machine)))
            do {
                let state = try StateDirectory(path: directory.path, Migrations.schema)
                let store = try EventStore(in: state, bootID: "boot-2", keys)
                try store.commit { () throws(StorageError) in
                    try store.setMachineName(MachineIdentity.name(of: machine))
                }
                for _ in 0..<transactions {
                    try store.commit { () throws(StorageError) in
                        _ = try store.recordings.sealSome(atMicroseconds: 1)
                        try store.recordings.writeCounts()
                    }
                }
                // The process ends here, without a checkpoint that it has not made.
            }
            let bench = try Bench(directory.path, clock: clock)
            #expect(try await eventually { try await bench.statistics().rowsToSeal == 0 })
            try await journal.expectComplete(bench, 6_000)
            try await bench.close()
            #expect(try scan() == 0)
        }
    }

    /// The number of rows; a million is measured by hand.
    private static let upgraded = getenv("WAYMARK_UPGRADED_ROWS").flatMap { Int(String(cString: $0)) } ?? 40_000

    @Test func `a daemon that is killed while it seals what an earlier release has stored loses nothing`() async throws
    {
        let rows = Self.upgraded
        let machine = directory
        let journal = PlainJournal(directory.file("state"))
        try journal.fill(rows)
        var random = SeededGenerator(sample: 43)
        let began = SystemClock().monotonicNanoseconds
        var daemon = try DaemonProcess(in: machine, logLevel: "warning")
        let ready = SystemClock().monotonicNanoseconds
        var shown: [Int64] = []
        var kills = 0
        let patience = PollDeadline(seconds: 600)
        while true {
            try #require(!patience.hasPassed, "\(shown.suffix(9)) \(daemon.log)")
            let left = try daemon.rowsToSeal()
            // Until the journal has replied for the first time, none is shown.
            if left > 0 { shown.append(left) }
            if try journal.isSealed() { break }
            guard kills < 6, Int.random(in: 0..<3, using: &random) == 0 else { continue }
            _ = poll(nil, 0, Int32.random(in: 0...300, using: &random))
            daemon.signal(SIGKILL)
            _ = try daemon.wait()
            kills += 1
            daemon = try DaemonProcess(in: machine, logLevel: "warning")
        }
        let seconds = Double(SystemClock().monotonicNanoseconds - began) / 1e9
        print(
            "\(rows) plain rows: ready after \(Double(ready - began) / 1e9) s, all sealed after \(seconds) s and \(kills)"
                + " kills; shown \(shown.count) times, first \(shown.prefix(3)), last \(shown.suffix(3))")
        // What a person sees does not grow.
        #expect(zip(shown, shown.dropFirst()).allSatisfy { $0 >= $1 })
        #expect(try daemon.stop() == .exited(0))
        let bench = try Bench(directory.file("state"), clock: clock)
        try await journal.expectComplete(bench, rows)
        try await bench.close()
    }

    @Test func `the keys are there until the last of many rows needs them no more, after protection was switched off`()
        async throws
    {
        let rows = 40_000
        let journal = PlainJournal(directory.file("state"))
        try journal.fill(rows)
        let daemon = try DaemonProcess(in: directory, logLevel: "warning")
        for command in ["set-passphrase", "switch-off"] {
            let change = try CompletedProcess.run(
                Products.program("waymark"),
                ["protection", command, "--stdin"] + (command == "switch-off" ? ["--yes"] : []),
                environment: daemon.environment(), input: "a bicycle without a bell\n", seconds: 90)
            try #require(change.status.isSuccess, "\(command): \(change.error)")
            let keys = directory.file("state/protection.keys")
            var left: Int64 = 0
            // Until the journal has replied for the first time, none is shown.
            let isShown = try eventually(within: 60) {
                left = try daemon.rowsToSeal()
                return left > 0
            }
            #expect(isShown)
            let patience = PollDeadline(seconds: 600)
            while left > 0 {
                try #require(access(keys, F_OK) == 0 && !patience.hasPassed, "\(command): \(left) rows need the keys")
                left = try daemon.rowsToSeal()
            }
            if command == "switch-off" {
                #expect(eventually(within: 60) { access(keys, F_OK) != 0 })
            }
        }
        #expect(try daemon.stop() == .exited(0))
        let bench = try Bench(directory.file("state"), clock: clock)
        try await journal.expectComplete(bench, rows)
        try await bench.close()
    }

    @Test func `plain rows are not accepted any more after all were sealed`() async throws {
        try journal.fill(100)
        let bench = try Bench(directory.path, clock: clock)
        #expect(try await eventually { try await bench.statistics().rowsToSeal == 0 })
        try await bench.close()
        let plain = PositionPayloadTests.encoded(.step(99)).map { String($0, radix: 16) }
            .map { $0.count == 1 ? "0\($0)" : $0 }.joined()
        #expect(
            try run([
                "sqlite3", "\(directory.path)/journal.db",
                "UPDATE positions SET payload = x'\(plain)', segment = NULL WHERE seq = 50",
            ]) == 0)
        let again = try Bench(directory.path, clock: clock)
        #expect(try await again.verify().findings.contains("recording \(hike): position 50 cannot be read"))
        try await again.close()
    }
}
