import Glibc
import Platform
import PowerCut
import RegionScript
import RegionStorage
import TestSupport
import TestTraits
import Testing

/// A process that changes a store is killed, or the power is cut: what it has acknowledged is there, once, and what it was
/// doing is there entirely or not at all.
///
/// `WAYMARK_KILLS` and `WAYMARK_CUT_OPERATIONS` make longer runs, `WAYMARK_CUT_SEED` others.
@Suite(.waits, .serialized, .timeLimit(.minutes(30))) struct RegionCrashTests {
    private static func setting(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }

    /// The models after some operations, and after one more.
    private static func models(_ seed: UInt64, after count: Int) -> [RegionModel] {
        var model = RegionModel()
        for number in 0..<count { model.apply(.next(number, of: seed, after: model)) }
        let before = model.readable
        model.apply(.next(count, of: seed, after: model))
        return [before, model.readable]
    }

    /// The store is plain, sealed from the beginning, or sealed in the middle and perhaps plain again later.
    @Test(arguments: [(Int.max, Int.max), (0, Int.max), (100, Int.max), (20, 100)])
    func `nothing that was acknowledged is lost or doubled when the process is killed`(
        _ sealed: Int, _ unsealed: Int
    ) async throws {
        var random = SeededGenerator(sample: 77)
        let directory = try TemporaryDirectory()
        let seed = UInt64.random(in: 0...999_999, using: &random)
        let program = try Products.program("waymark-region-writer")
        var next = 0
        for kill in 0..<(Self.setting("WAYMARK_KILLS") ?? 8) {
            let isWorking = try AcknowledgedNumbers.kill(
                program, [directory.path, "\(seed)", "\(next)", "100000", "\(sealed)", "\(unsealed)"],
                in: directory.path,
                after: next + Int.random(in: 1...60, using: &random))
            #expect(isWorking)
            let acknowledged = try AcknowledgedNumbers.next(in: directory.path)
            let store = try ScriptedStore(directory.path, isSealed: ScriptedStore.isSealed(directory.path))
            let found = try await store.model()
            let expected = Self.models(seed, after: acknowledged)
            guard let more = expected.firstIndex(of: found), store.damages == [] else {
                Issue.record("kill \(kill), \(random), operation \(acknowledged): \(found) is none of \(expected)")
                return
            }
            try await store.close()
            next = acknowledged + more
        }
    }

    /// After each write, each change of a name and each synchronization that the process makes, from the making of the file
    /// on.
    @Test(
        .enabled(if: PowerCutShim.compiler != nil, "there is no C compiler"),
        arguments: [(Int.max, Int.max), (0, Int.max), (6, Int.max), (3, 7)])
    func `nothing that was acknowledged is lost or doubled when the power is cut after any write`(
        _ sealed: Int, _ unsealed: Int
    ) async throws {
        let seed = UInt64(Self.setting("WAYMARK_CUT_SEED") ?? 1)
        let run = try PowerCutRun(
            Products.program("waymark-region-writer"),
            [
                "\(seed)", "0", "\(Self.setting("WAYMARK_CUT_OPERATIONS") ?? 12)", "\(sealed)", "\(unsealed)",
            ])
        #expect(run.result.status.isSuccess, "\(run.result.error)")
        let (cuts, losses) = try await run.cutEach(seed: seed) { cut in
            let store = try ScriptedStore(
                run.folder,
                isSealed: sealed <= cut.acknowledged && cut.acknowledged < unsealed
                    || ScriptedStore.isSealed(run.folder))
            // The decision to store it plain again is durable before.
            if unsealed <= cut.acknowledged, ScriptedStore.isSealed(run.folder) { try store.unseal() }
            let found = try await store.model()
            let expected = Self.models(seed, after: cut.acknowledged)
            guard expected.contains(found), store.damages == [] else {
                Issue.record("seed \(seed), \(cut): \(found) is none of \(expected), \(store.damages)")
                return false
            }
            // It works on.
            try await store.perform(.next(30, of: seed, after: RegionModel()))
            try await store.close()
            return true
        }
        #expect(cuts > 200 && losses > cuts)
    }
}
