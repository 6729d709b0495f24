import Glibc
import Platform
import PowerCut
import RecordScript
import Records
import RecordsSQLite
import TestSupport
import TestTraits
import Testing

/// A process that saves records is killed, or the power is cut: each save that it has acknowledged is there, once, and the
/// one in progress entirely or not at all.
///
/// `WAYMARK_KILLS` and `WAYMARK_CUT_OPERATIONS` make longer runs, `WAYMARK_CUT_SEED` others.
@Suite(.waits, .serialized, .timeLimit(.minutes(30))) struct RecordCrashTests {
    private static func setting(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }

    @Test func `each acknowledged save is stored once when the process is killed`() throws {
        var random = SeededGenerator(sample: 78)
        let directory = try TemporaryDirectory()
        let program = try Products.program("waymark-record-writer")
        var spared = try SparedRecords()
        var next = 0
        for kill in 0..<(Self.setting("WAYMARK_KILLS") ?? 8) {
            let isWorking = try AcknowledgedNumbers.kill(
                program, [directory.path, "\(next)", "100000"], in: directory.path,
                after: next + Int.random(in: 1...60, using: &random))
            #expect(isWorking)
            // The next process repeats the request whose answer may have been lost.
            next = try AcknowledgedNumbers.next(in: directory.path)
            if let defect = try spared.defect(of: try SQLiteEngine(folder: directory.path).tables(), after: next) {
                Issue.record("kill \(kill), \(random): \(defect)")
                return
            }
        }
    }

    /// After each write, each change of a name and each synchronization that the process makes, from the making of the file
    /// on.
    @Test(.enabled(if: PowerCutShim.compiler != nil, "there is no C compiler"))
    func `each acknowledged save is stored once when the power is cut after any write`() async throws {
        let seed = UInt64(Self.setting("WAYMARK_CUT_SEED") ?? 1)
        let run = try PowerCutRun(
            Products.program("waymark-record-writer"), ["0", "\(Self.setting("WAYMARK_CUT_OPERATIONS") ?? 5)"])
        #expect(run.result.status.isSuccess, "\(run.result.error)")
        let (cuts, losses) = try await run.cutEach(seed: seed) { cut in
            let engine = try SQLiteEngine(folder: run.folder)
            var spared = try SparedRecords()
            if let defect = try spared.defect(of: engine.tables(), after: cut.acknowledged) {
                Issue.record("seed \(seed), \(cut): \(defect)")
                return false
            }
            // It works on.
            let store = RecordStore(engine, try TestSigner())
            try RecordScript.prepare(store)
            _ = try RecordScript.perform(cut.acknowledged, store)
            return true
        }
        #expect(cuts > 100 && losses > cuts)
    }
}
