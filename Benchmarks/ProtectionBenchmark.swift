import Cryptography
import Location
import Platform
import Protection
import TestSupport

/// What data protection costs: sealing a row, beginning a segment, recording and reading a journal of each class, from the lock to
/// the end of the keys, and deriving a key from a passphrase.
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
        for protection in ProtectionClass.allCases {
            let directory = try TemporaryDirectory()
            try measureJournal(directory, protection, file, keys, positions: positions)
        }
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
        positions: Int
    ) throws {
        let route = try RecordedRoute(in: directory.path, perTransaction: 1_000)
        try route.use(AvailableKeys(machine: nil, file: file, keys: keys, state: .unlocked), protection)
        let recorded = Double(positions) * 1e9 / Double(try route.record(positions))
        // Runs after everything that the journal has to do for the positions.
        try route.use(AvailableKeys(machine: nil, file: file, keys: keys, state: .unlocked), protection)
        let read = Double(positions) * 1e9 / Double(try route.readAll())
        // As the daemon does it: while positions are pending.
        let began = clock.monotonicNanoseconds
        try route.use(AvailableKeys(machine: nil, file: file, keys: keys, state: .locked), protection)
        let locked = Double(clock.monotonicNanoseconds - began)
        try route.close()
        print(
            "  journal, \(protection.word): recording \(Text.fixed(recorded, 0)) positions/s, reading"
                + " \(Text.fixed(read, 0)) positions/s, from the lock to the end of the keys"
                + " \(Text.fixed(locked / 1e6, 2)) ms")
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
