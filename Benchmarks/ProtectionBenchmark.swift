import Cryptography
import Glibc
import Location
import Platform
import Protection
import TestSupport

/// What data protection costs: sealing a row, beginning a segment, recording and reading a journal of each class, beside a program
/// in C that stores the same rows plain with the same settings; from the lock to the end of the keys, and deriving a key from a
/// passphrase.
enum ProtectionBenchmark {
    private static let clock = SystemClock()

    static func run(positions: Int) throws {
        print("load average of the last minute: \(ReachabilityBenchmark.loadAverage)")
        guard let machine = try SymmetricKey(copying: [UInt8](repeating: 1, count: 32)) else { return }
        let secret = UnlockSecret.passphrase(try Secret("a passphrase"))
        let (file, keys) = try KeyFile.make(for: secret, machine: machine, cost: .fresh(passes: 1, memory: 8_192))
        let unlocked = AvailableKeys(
            machine: try MachineKey.derived(from: machine), file: file, keys: keys, state: .unlocked)
        try measureRows(unlocked)
        try measureSegments(unlocked, keys)
        let directory = try TemporaryDirectory()
        let peer = try PeerProgram.compile("recorder", libraries: ["sqlite3"], in: directory)
        for protection in ProtectionClass.allCases {
            try measureJournal(directory, protection, file, keys, positions: positions, beside: peer)
        }
        try measureTenHertz(directory, file, keys, beside: peer)
        try measureUsers(directory, machine, file, keys)
        try measurePassphrase()
        print("load average of the last minute: \(ReachabilityBenchmark.loadAverage)")
    }

    private static func place(_ protection: ProtectionClass, _ keys: AvailableKeys) -> Segment.Place {
        Segment.Place(
            keyFile: keys.keyFile(of: protection), protection: protection, number: 1,
            owner: Array("positions 6f9619ff-8b86-4d01-b42d-00c04fc964ff".utf8))
    }

    private static func measureRows(_ keys: AvailableKeys) throws {
        let payload = [UInt8](repeating: 7, count: 58)
        guard let writing = keys.writing(.completeUnlessOpen),
            let (_, rows) = try Segment.begin(place(.completeUnlessOpen, keys), with: writing)
        else { return }
        let count = 200_000
        var sealed: [UInt8] = []
        let seals = nanoseconds(count) { number in
            sealed.removeAll(keepingCapacity: true)
            rows.seal(payload.span, number: Int64(number), appendingTo: &sealed)
        }
        rows.seal(payload.span, number: 1, appendingTo: &sealed)
        let row = Array(sealed.suffix(payload.count + RowCipher.overhead))
        let opens = try nanoseconds(count) { _ in
            guard rows.open(row.span, number: 1) != nil else { throw RecordedRoute.Failure(description: "not opened") }
        }
        print(
            "  sealing a row of 58 bytes    \(Text.fixed(seals / 1e3, 2)) µs, opening it \(Text.fixed(opens / 1e3, 2)) µs"
        )
    }

    private static func measureSegments(_ keys: AvailableKeys, _ unlocked: UnlockedKeys) throws {
        for protection in ProtectionClass.locking {
            guard let writing = keys.writing(protection), let own = unlocked[protection] else { continue }
            let begins = try nanoseconds(2_000) { _ in _ = try Segment.begin(place(protection, keys), with: writing) }
            guard let (segment, _) = try Segment.begin(place(protection, keys), with: writing) else { continue }
            let opens = try nanoseconds(2_000) { _ in _ = try segment.open(with: own) }
            print(
                "  beginning a segment          \(Text.fixed(begins / 1e6, 4)) ms, opening it"
                    + " \(Text.fixed(opens / 1e6, 4)) ms (\(protection.word))")
        }
    }

    private static func measureJournal(
        _ directory: TemporaryDirectory, _ protection: ProtectionClass, _ file: KeyFile, _ keys: UnlockedKeys,
        positions: Int, beside peer: String
    ) throws {
        let before = try ProcessFigures(getpid()).residentKiB
        let folder = directory.file(protection.word)
        let route = try RecordedRoute(in: folder, perTransaction: 1_000)
        try route.use(AvailableKeys(machine: nil, file: file, keys: keys, state: .unlocked), protection)
        let recorded = Double(positions) * 1e9 / Double(try route.record(positions))
        // Runs after everything that the journal has to do for the positions.
        try route.use(AvailableKeys(machine: nil, file: file, keys: keys, state: .unlocked), protection)
        let read = Double(positions) * 1e9 / Double(try route.readAll())
        // As the daemon does it: while positions are pending.
        let began = clock.monotonicNanoseconds
        try route.use(AvailableKeys(machine: nil, file: file, keys: keys, state: .locked), protection)
        let locked = Double(clock.monotonicNanoseconds - began)
        let memory = try ProcessFigures(getpid()).residentKiB - before
        try route.close()
        let plain = try plain(folder, peer, positions, perTransaction: 1_000)
        print(
            "  journal, \(protection.word): recording \(Text.fixed(recorded, 0)) positions/s"
                + " (\(Text.fixed(recorded / plain.written, 2)) of the plain peer), reading \(Text.fixed(read, 0)) positions/s"
                + " (\(Text.fixed(read / plain.read, 2))), resident memory \(memory) KiB more, from the lock to the end of the"
                + " keys \(Text.fixed(locked / 1e6, 2)) ms")
    }

    /// Recording as it is at ten positions a second, ten a transaction, each transaction on the disk, in alternating rounds: which
    /// part of a second the ten need.
    private static func measureTenHertz(
        _ directory: TemporaryDirectory, _ file: KeyFile, _ keys: UnlockedKeys, beside peer: String
    ) throws {
        let (positions, perTransaction) = (5_000, 10)
        var times: [String: [Double]] = [:]
        for round in 1...5 {
            for protection in [ProtectionClass.none, .completeUnlessOpen] {
                let folder = directory.file("ten-\(protection.word)-\(round)")
                let route = try RecordedRoute(in: folder, perTransaction: perTransaction)
                try route.use(AvailableKeys(machine: nil, file: file, keys: keys, state: .unlocked), protection)
                let rate = Double(positions) * 1e9 / Double(try route.record(positions))
                times[protection.word, default: []].append(10 / rate * 1e3)
                try route.close()
                guard protection == .completeUnlessOpen else { continue }
                let plain = try plain(folder, peer, positions, perTransaction: perTransaction)
                times["plain peer", default: []].append(10 / plain.written * 1e3)
            }
        }
        let plain = Distribution(times["plain peer"] ?? []).median
        for name in ["plain peer", ProtectionClass.none.word, ProtectionClass.completeUnlessOpen.word] {
            let median = Distribution(times[name] ?? []).median
            print(
                "  ten positions a transaction, \(name): \(Text.fixed(median, 3)) ms (\(Text.fixed(median / plain, 2)) of the"
                    + " plain peer, medians of 5)")
        }
    }

    /// Recording for fifty users at ten positions a second, each of them in every transaction, in alternating rounds: with the
    /// machine's keys alone, and with keys of each user, open and locked. Which part of a second they need.
    private static func measureUsers(
        _ directory: TemporaryDirectory, _ machine: SymmetricKey, _ file: KeyFile, _ keys: UnlockedKeys
    ) throws {
        let users = UInt32(20_001)...20_050
        let (perTransaction, seconds) = (users.count, 40)
        var own: [(user: UInt32, file: KeyFile, keys: UnlockedKeys)] = []
        for user in users {
            let secret = UnlockSecret.passphrase(try Secret("a passphrase"))
            let cost = PassphraseHash.fresh(passes: 1, memory: 8_192)
            let made = try KeyFile.make(for: secret, of: user, machine: machine, cost: cost)
            own.append((user, made.file, made.keys))
        }
        let cases: [(name: String, state: LockState?)] = [
            ("the machine's keys", nil), ("50 users' keys, open", .unlocked), ("50 users' keys, locked", .locked),
        ]
        var times: [String: [Double]] = [:]
        for round in 1...5 {
            for (name, state) in cases {
                let route = try RecordedRoute(
                    in: directory.file("users-\(round)-\(name.hashValue)"), perTransaction: perTransaction)
                try route.use(
                    AvailableKeys(machine: nil, file: file, keys: keys, state: .unlocked), .completeUnlessOpen)
                if let state {
                    for (user, file, keys) in own {
                        try route.use(AvailableKeys(machine: nil, file: file, keys: keys, state: state), of: user)
                    }
                }
                let duration = try route.record(10 * perTransaction * seconds, inTurnFor: users)
                times[name, default: []].append(Double(duration) / 1e6 / Double(seconds))
                try route.close()
            }
        }
        let one = Distribution(times[cases[0].name] ?? []).median
        for (name, _) in cases {
            let median = Distribution(times[name] ?? []).median
            print(
                "  fifty users at ten positions a second, \(name): \(Text.fixed(median, 2)) ms of each second"
                    + " (\(Text.fixed(median / one, 2)), medians of 5)")
        }
    }

    /// Positions a second of the peer, with the payloads of a sealed journal as they are before they are sealed.
    private static func plain(
        _ folder: String, _ peer: String, _ positions: Int, perTransaction: Int
    ) throws -> (written: Double, read: Double) {
        let target = "\(folder)/plain.db"
        defer { for suffix in ["", "-wal", "-shm"] { unlink(target + suffix) } }
        let result = try CompletedProcess.run(
            peer,
            ["\(folder)/journal.db", target, String(positions), String(perTransaction), String(RowCipher.overhead)],
            seconds: 600)
        let figures = result.output.split(separator: "\n").compactMap { Double($0) }
        guard result.status.isSuccess, figures.count == 2 else {
            throw RecordedRoute.Failure(description: "the peer failed: \(result.error)")
        }
        return (Double(positions) * 1e9 / figures[0], Double(positions) * 1e9 / figures[1])
    }

    private static func measurePassphrase() throws {
        let passphrase = try Secret("a passphrase")
        var times: [Double] = []
        for _ in 0..<5 {
            let began = clock.monotonicNanoseconds
            _ = try PassphraseHash.moderate().key(of: passphrase)
            times.append(Double(clock.monotonicNanoseconds - began) / 1e9)
        }
        print("  deriving a key (Argon2id)    \(Text.fixed(Distribution(times).median, 2)) s (median of 5)")
    }

    /// The nanoseconds of one run of the body: the median of a hundred batches, so that other programs disturb it little.
    private static func nanoseconds(_ count: Int, _ body: (Int) throws -> Void) rethrows -> Double {
        let batch = max(count / 100, 1)
        var times: [Double] = []
        for first in stride(from: 0, to: count, by: batch) {
            let began = clock.monotonicNanoseconds
            for number in first..<min(first + batch, count) { try body(number) }
            times.append(Double(clock.monotonicNanoseconds - began) / Double(min(batch, count - first)))
        }
        return Distribution(times).median
    }
}
