import Glibc
import Platform
import PowerCut
import RegionScript
import RegionStorage
import TestSupport
import Testing

/// A process that changes a store is killed, or the power is cut: what it has acknowledged is there, once, and what it was
/// doing is there entirely or not at all.
///
/// `WAYMARK_KILLS` and `WAYMARK_CUT_OPERATIONS` make longer runs, `WAYMARK_CUT_SEED` others.
@Suite(.serialized, .timeLimit(.minutes(30))) struct RegionCrashTests {
    private static func setting(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }

    /// The models after some operations, and after one more.
    private static func models(_ seed: UInt64, after count: Int) -> [RegionModel] {
        var model = RegionModel()
        for number in 0..<count { model.apply(.next(number, of: seed, after: model)) }
        let before = model.readable
        model.apply(.next(count, of: seed, after: model))
        return [before, model.readable]
    }

    /// The number of the first operation that was not acknowledged.
    private static func next(_ acknowledged: [UInt8]) -> Int {
        let lines = acknowledged.split(separator: UInt8(ascii: "\n"))
        return lines.last.flatMap { Int(String(decoding: $0, as: UTF8.self)) }.map { $0 + 1 } ?? 0
    }

    /// The store is plain, sealed from the beginning, or sealed in the middle.
    @Test(arguments: [Int.max, 0, 100])
    func `nothing that was acknowledged is lost or doubled when the process is killed`(_ sealed: Int) async throws {
        var random = SeededGenerator(sample: 77)
        let directory = try TemporaryDirectory()
        let seed = UInt64.random(in: 0...999_999, using: &random)
        let program = try Products.program("waymark-region-writer")
        let file = directory.file("acknowledged")
        var next = 0
        for kill in 0..<(Self.setting("WAYMARK_KILLS") ?? 8) {
            let process = try ChildProcess(
                ChildProcess.Launch(
                    program, [directory.path, "\(seed)", "\(next)", "100000", "\(sealed)"], output: .inherited,
                    error: .inherited,
                    isGuarded: true))
            let goal = next + Int.random(in: 1...60, using: &random)
            let isWorking = try eventually {
                access(file, F_OK) == 0 ? Self.next(try BoundedFile.bytes(of: file, limit: 1 << 24)) >= goal : false
            }
            #expect(isWorking)
            process.signal(SIGKILL)
            _ = try process.wait(seconds: 60)

            let acknowledged = Self.next(try BoundedFile.bytes(of: file, limit: 1 << 24))
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
    @Test(.enabled(if: PowerCutShim.compiler != nil, "there is no C compiler"), arguments: [Int.max, 0, 6])
    func `nothing that was acknowledged is lost or doubled when the power is cut after any write`(_ sealed: Int)
        async throws
    {
        let seed = UInt64(Self.setting("WAYMARK_CUT_SEED") ?? 1)
        let directory = try TemporaryDirectory()
        let folder = directory.file("disk")
        try retrying("make", subject: folder) { mkdir(folder, 0o700) }
        let shim = try PowerCutShim(watching: folder, in: directory)
        var disk = try SimulatedDisk(folder: folder)
        let command =
            shim.entrance(syncMicroseconds: 0) + [
                try Products.program("waymark-region-writer"), folder, "\(seed)", "0",
                "\(Self.setting("WAYMARK_CUT_OPERATIONS") ?? 12)", "\(sealed)",
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
            let store = try ScriptedStore(folder, isSealed: sealed <= acknowledged || ScriptedStore.isSealed(folder))
            let found = try await store.model()
            let expected = Self.models(seed, after: acknowledged)
            guard expected.contains(found), store.damages == [] else {
                Issue.record(
                    "seed \(seed), write \(index), \(style), operation \(acknowledged): \(found) is none of \(expected), \(store.damages)"
                )
                return
            }
            // It works on.
            try await store.perform(.next(30, of: seed, after: RegionModel()))
            try await store.close()
        }
        #expect(states.count > 200 && losses > states.count)
    }
}
