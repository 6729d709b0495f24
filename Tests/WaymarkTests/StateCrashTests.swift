import Glibc
import Platform
import PowerCut
import TestSupport
import TestTraits
import Testing
import Waymark

/// What a process has done with its state, by the record that `waymark-state-writer` writes.
private struct StateModel {
    /// The numbers that the next process may restore; nil for none.
    var possible: Set<Int?> = [nil]
    /// A line that contradicts the lines before it.
    var contradiction: String?

    init(_ record: [UInt8]) {
        for line in String(decoding: record, as: UTF8.self).split(separator: "\n") { follow(line) }
    }

    private mutating func follow(_ line: Substring) {
        let words = line.split(separator: " ")
        switch words.first {
        case "save": possible.insert(Int(words[1]))
        case "saved": possible = [Int(words[1])]
        case "restore", "failed": possible.insert(nil)
        case "seen":
            if !possible.contains(Int(words[1])) || words[2] != "5000" { contradiction = String(line) }
            possible = [nil]
        case "ended":
            if line == "ended nothingSaved", !possible.contains(nil) { contradiction = String(line) }
            possible = [nil]
        default: contradiction = String(line)
        }
    }

    /// Whether the next process may get this from the store.
    func permits(_ number: Int?, _ result: Restoration) -> Bool {
        switch result {
        case .restored: number != nil && possible.contains(number)
        case .nothingSaved: possible.contains(nil)
        case .discarded(.unfinishedRestoration): possible.contains(nil)
        default: false
        }
    }
}

/// A process that saves and restores is killed, the power is cut, or a call into the system fails, at each operation on
/// its files: what was saved is restored, and no state is shown to the app twice.
@Suite(.waits, .timeLimit(.minutes(15))) struct StateCrashTests {
    private static let steps = ["save:1", "save:2", "restore", "save:3", "save:4", "restore", "restore", "save:5"]

    private let directory: TemporaryDirectory
    private let folder: String

    init() throws {
        directory = try TemporaryDirectory()
        folder = directory.file("disk")
        try retrying("make", subject: folder) { mkdir(folder, 0o700) }
    }

    private func restore() throws -> (number: Int?, result: Restoration) {
        var number: Int?
        let store = try StateStore(app: "org.example.Writer", version: 1, folder: folder)
        let result = try store.restore { number = $0.decode(.number) }
        return (number, result)
    }

    private func run(_ entrance: [String], record: String, _ steps: [String]) throws -> CompletedProcess {
        let command = entrance + [try Products.program("waymark-state-writer"), folder, record] + steps
        return try CompletedProcess.run(command[0], Array(command[1...]), seconds: 60)
    }

    @Test(.enabled(if: PowerCutShim.compiler != nil, "there is no C compiler"), arguments: CutStyle.allCases)
    func `a saved state is restored at most once when the power is cut after any operation`(_ style: CutStyle) throws {
        let shim = try PowerCutShim(watching: folder, in: directory)
        var disk = try SimulatedDisk(folder: folder)
        let record = "\(folder)/record"
        let result = try run(shim.entrance(syncMicroseconds: 0), record: record, Self.steps)
        #expect(result.status.isSuccess, "\(result.error)")
        var random = SeededGenerator(sample: 11)
        var numbers: Set<Int?> = []
        let states = try disk.states(of: try shim.drainLog())
        for (index, state) in states.enumerated() {
            let model = StateModel(state.seen(record) ?? [])
            #expect(model.contradiction == nil, "operation \(index)")
            var state = state
            try state.cut(style, using: &random)
            // The folder itself is there: the app's unit makes it.
            if access(folder, F_OK) != 0 { try retrying("make", subject: folder) { mkdir(folder, 0o700) } }
            let (number, result) = try restore()
            #expect(model.permits(number, result), "\(random), operation \(index): \(result) \(number ?? 0), \(model)")
            let again = try restore()
            #expect(again.number == nil, "operation \(index)")
            numbers.insert(number)
        }
        #expect(states.count > 60 && numbers == [nil, 1, 2, 3, 4, 5], "\(states.count) \(numbers)")
    }

    /// The number of the first operation without which the process does all of its steps; of those whose failure the
    /// process has reported where the fault is an error.
    private func inject(_ fault: PowerCutShim.Fault, _ steps: [String] = steps) throws -> Int {
        let shim = try PowerCutShim(watching: folder, in: directory)
        let record = directory.file("record")
        var failures = 0
        for operation in 1...120 {
            unlink(record)
            try StateStore(app: "org.example.Writer", version: 1, folder: folder).discard()
            let result = try run(
                shim.entrance(syncMicroseconds: 0, fault: (operation, fault)), record: record, steps)
            let bytes = try BoundedFile.bytes(of: record, limit: 1 << 20)
            let text = String(decoding: bytes, as: UTF8.self)
            let model = StateModel(bytes)
            #expect(model.contradiction == nil, "operation \(operation): \(text)")
            let (number, restoration) = try restore()
            #expect(
                model.permits(number, restoration), "operation \(operation): \(restoration) \(number ?? 0), \(text)")
            #expect(try restore().number == nil)
            if case .kill = fault {
                if result.status.isSuccess { return operation }
            } else {
                #expect(result.status.isSuccess, "operation \(operation): \(result.error)")
                if text.contains("failed") { failures += 1 }
            }
        }
        return failures
    }

    @Test(.enabled(if: PowerCutShim.compiler != nil, "there is no C compiler"))
    func `a saved state is restored at most once when the process is killed before any operation`() throws {
        let count = try inject(.kill)
        #expect((40..<120).contains(count), "\(count)")
    }

    @Test(.enabled(if: PowerCutShim.compiler != nil, "there is no C compiler"), arguments: [EIO, ENOSPC])
    func `a saved state is restored at most once when any operation fails`(_ error: Int32) throws {
        let count = try inject(.error(error))
        #expect(count > 40, "\(count)")
    }

    @Test func `a state that kills the app is not restored again, and the app can save the next one`() throws {
        let record = directory.file("record")
        let killed = try run([], record: record, ["save:1", "crash"])
        #expect(killed.status == .killed(signal: SIGKILL))
        #expect(
            try BoundedFile.bytes(of: record, limit: 1_000).starts(
                with: Array("save 1\nsaved 1\nrestore\nseen 1 ".utf8)))
        #expect(DirectoryListing.names(folder) == ["restoration.state.opened"])
        #expect(try restore().result.reason == .unfinishedRestoration)
        #expect(DirectoryListing.names(folder) == [])

        #expect(try run([], record: record, ["save:2", "crash"]).status == .killed(signal: SIGKILL))
        #expect(try run([], record: record, ["save:3"]).status.isSuccess)
        let (number, result) = try restore()
        #expect(result.isRestored && number == 3)
    }
}
