import Glibc
import Platform
import TestSupport

/// A program that has written to a simulated disk, and the disk after each write, each change of a name and each
/// synchronization that the program made.
public struct PowerCutRun {
    /// A cut after one of them.
    public struct Cut {
        /// The number of the write.
        public let index: Int
        /// How the disk behaved.
        public let style: CutStyle
        /// The number of the first operation that was not acknowledged then, see `AcknowledgedNumbers`.
        public let acknowledged: Int
    }

    /// The folder on the disk.
    public let folder: String
    /// How the program ended.
    public let result: CompletedProcess
    private let directory: TemporaryDirectory
    private let states: [SimulatedDisk]

    /// Runs a program to its end. Its first argument is the folder.
    public init(_ program: String, _ arguments: [String]) throws {
        directory = try TemporaryDirectory()
        folder = directory.file("disk")
        try retrying("make", subject: folder) { [folder] in mkdir(folder, 0o700) }
        let shim = try PowerCutShim(watching: folder, in: directory)
        var disk = try SimulatedDisk(folder: folder)
        let command = shim.entrance(syncMicroseconds: 0) + [program, folder] + arguments
        result = try CompletedProcess.run(command[0], Array(command[1...]), seconds: 300)
        states = try disk.states(of: try shim.drainLog())
    }

    /// Cuts the power after each write in turn, in a style of its own, and lets the body examine the folder until it returns
    /// false. Returns how many cuts there were, and how many changes were not synchronized in all of them.
    public func cutEach(
        seed: UInt64, _ body: (Cut) async throws -> Bool
    ) async throws -> (cuts: Int, losses: Int) {
        var random = SeededGenerator(seed: seed)
        var losses = 0
        for (index, state) in states.enumerated() {
            let acknowledged = AcknowledgedNumbers.next(state.seen(AcknowledgedNumbers.path(in: folder)) ?? [])
            var state = state
            let style = CutStyle.allCases.randomElement(using: &random) ?? .nothing
            losses += try state.cut(style, using: &random).unsynchronized
            guard try await body(Cut(index: index, style: style, acknowledged: acknowledged)) else {
                return (index + 1, losses)
            }
        }
        return (states.count, losses)
    }
}
