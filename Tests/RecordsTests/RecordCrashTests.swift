import Glibc
import Platform
import PowerCut
import RecordScript
import Records
import RecordsSQLite
import TestSupport
import Testing

/// A process that saves records is killed, or the power is cut: each save that it has acknowledged is there, once, and the
/// one in progress entirely or not at all.
///
/// `WAYMARK_KILLS` and `WAYMARK_CUT_OPERATIONS` make longer runs, `WAYMARK_CUT_SEED` others.
@Suite(.serialized, .timeLimit(.minutes(30))) struct RecordCrashTests {
    private static func setting(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }

    /// The number of the first request that was not acknowledged.
    private static func next(_ acknowledged: [UInt8]) -> Int {
        let lines = acknowledged.split(separator: UInt8(ascii: "\n"))
        return lines.last.flatMap { Int(String(decoding: $0, as: UTF8.self)) }.map { $0 + 1 } ?? 0
    }

    /// An engine that is not killed and performs the same requests.
    private struct Spared {
        private let engine = MemoryEngine()
        private let store: RecordStore<MemoryEngine, TestSigner>
        private var performed = 0

        init() throws {
            store = RecordStore(engine, try TestSigner())
            try RecordScript.prepare(store)
        }

        /// What is wrong with a file in which requests up to a number were acknowledged; nil if nothing is. At most one more
        /// may have been performed.
        mutating func defect(of other: SQLiteEngine, after acknowledged: Int) throws -> String? {
            let tables = try other.tables()
            let found = Int(tables.zones[RecordScript.zone]?.counter ?? 0) / RecordScript.recordsOfRequest
            guard (acknowledged...(acknowledged + 1)).contains(found) else {
                return "\(found) requests are stored, \(acknowledged) were acknowledged"
            }
            // The preparation may be unfinished as well.
            if found == 0 { return nil }
            while performed < found {
                _ = try RecordScript.perform(performed, store)
                performed += 1
            }
            return tables == engine.tables ? nil : "the tables after \(found) requests differ"
        }
    }

    @Test func `each acknowledged save is stored once when the process is killed`() throws {
        var random = SeededGenerator(sample: 78)
        let directory = try TemporaryDirectory()
        let program = try Products.program("waymark-record-writer")
        let file = directory.file("acknowledged")
        var spared = try Spared()
        var next = 0
        for kill in 0..<(Self.setting("WAYMARK_KILLS") ?? 8) {
            let process = try ChildProcess(
                ChildProcess.Launch(
                    program, [directory.path, "\(next)", "100000"], output: .inherited, error: .inherited,
                    isGuarded: true))
            let goal = next + Int.random(in: 1...60, using: &random)
            let isWorking = try eventually {
                access(file, F_OK) == 0 ? Self.next(try BoundedFile.bytes(of: file, limit: 1 << 24)) >= goal : false
            }
            #expect(isWorking)
            process.signal(SIGKILL)
            _ = try process.wait(seconds: 60)
            // The next process repeats the request whose answer may have been lost.
            next = Self.next(try BoundedFile.bytes(of: file, limit: 1 << 24))
            if let defect = try spared.defect(of: try SQLiteEngine(folder: directory.path), after: next) {
                Issue.record("kill \(kill), \(random): \(defect)")
                return
            }
        }
    }

    /// After each write, each change of a name and each synchronization that the process makes, from the making of the file
    /// on.
    @Test(.enabled(if: PowerCutShim.compiler != nil, "there is no C compiler"))
    func `each acknowledged save is stored once when the power is cut after any write`() throws {
        let seed = UInt64(Self.setting("WAYMARK_CUT_SEED") ?? 1)
        let directory = try TemporaryDirectory()
        let folder = directory.file("disk")
        try retrying("make", subject: folder) { mkdir(folder, 0o700) }
        let shim = try PowerCutShim(watching: folder, in: directory)
        var disk = try SimulatedDisk(folder: folder)
        let command =
            shim.entrance(syncMicroseconds: 0) + [
                try Products.program("waymark-record-writer"), folder, "0",
                "\(Self.setting("WAYMARK_CUT_OPERATIONS") ?? 5)",
            ]
        let result = try CompletedProcess.run(command[0], Array(command[1...]), seconds: 300)
        #expect(result.status.isSuccess, "\(result.error)")
        var random = SeededGenerator(seed: seed)
        let states = try disk.states(of: try shim.drainLog())
        var losses = 0
        for (index, state) in states.enumerated() {
            let acknowledged = Self.next(state.seen("\(folder)/acknowledged") ?? [])
            var state = state
            let style = CutStyle.allCases.randomElement(using: &random) ?? .nothing
            losses += try state.cut(style, using: &random).unsynchronized
            let engine = try SQLiteEngine(folder: folder)
            var spared = try Spared()
            if let defect = try spared.defect(of: engine, after: acknowledged) {
                Issue.record("seed \(seed), write \(index), \(style): \(defect)")
                return
            }
            // It works on.
            let store = RecordStore(engine, try TestSigner())
            try RecordScript.prepare(store)
            _ = try RecordScript.perform(acknowledged, store)
        }
        #expect(states.count > 100 && losses > states.count)
    }
}
