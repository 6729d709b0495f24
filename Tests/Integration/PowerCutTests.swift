import Glibc
import Interfaces
import Location
import Platform
import PowerCut
import Synchronization
import Testing
import TestSupport
import Varlink

/// The power cut under load: of what the daemon wrote there is afterwards what it had synchronized, and as much of the rest
/// as a disk might have kept. Nothing that was acknowledged to a client may be lost.
///
/// `WAYMARK_CUTS` says how often, `WAYMARK_CUT_SEED` how the first is to be; `Scripts/check-power-cut` does it often enough
/// to meet the rare moments.
@Suite(.serialized) struct PowerCutTests {
    private static func setting(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }
    private static let cuts = setting("WAYMARK_CUTS") ?? 5
    private static let seed = setting("WAYMARK_CUT_SEED") ?? 1
    /// As often a new disk is begun.
    private static let cutsPerDisk = 20

    @Test(.enabled(if: PowerCutShim.compiler != nil, "there is no C compiler"), .timeLimit(.minutes(30)))
    func `nothing that was acknowledged is lost when the power is cut`() throws {
        var tally = PowerCutTally()
        var bench: PowerCutBench?
        for cut in 0..<Self.cuts {
            let seed = Self.seed + cut
            if cut % Self.cutsPerDisk == 0 {
                try bench?.end()
                bench = try PowerCutBench()
            }
            try bench?.cut(seed: UInt64(seed), &tally)
            guard tally.isSound else {
                Issue.record("seed \(seed): \(tally)")
                break
            }
        }
        try bench?.end()
        print("\(tally)")
    }
}

/// What was found.
struct PowerCutTally: CustomStringConvertible {
    var cuts: [CutStyle: Int] = [:]
    var unsynchronized = 0
    var notes = 0
    var decisions = 0
    var findings: [String] = []

    var isSound: Bool { findings.isEmpty }

    var description: String {
        let styles = CutStyle.allCases.map { "\($0) \(cuts[$0] ?? 0)" }.joined(separator: ", ")
        return
            "\(cuts.values.reduce(0, +)) cuts (\(styles)) with \(unsynchronized) changes that were not synchronized: "
            + "\(notes) notes and \(decisions) decisions acknowledged, "
            + (isSound ? "none lost" : findings.joined(separator: "; "))
    }
}

/// A daemon on a simulated disk, and what it has acknowledged.
private final class PowerCutBench {
    private let apps: TestApps
    private let daemon: DaemonProcess
    private let shim: PowerCutShim
    private var disk: SimulatedDisk
    private var isNew = true
    private var newest: Int64 = 0
    private var decision: DecisionWriter.Standing = .init()

    init() throws {
        apps = try TestApps()
        try apps.add("trailmap", name: "Trail Map", program: "/usr/bin/trailmap")
        let folder = apps.directory.file("state")
        shim = try PowerCutShim(watching: folder, in: apps.directory)
        disk = try SimulatedDisk(folder: folder)
        var surroundings = DaemonSurroundings()
        surroundings.entrance = shim.entrance()
        daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), logLevel: "warning", surroundings: surroundings)
    }

    func end() throws {
        #expect(try daemon.stop() == .exited(0), "\(daemon.log)")
    }

    /// Has clients be acknowledged things for a moment, cuts the power, and looks what is there.
    func cut(seed: UInt64, _ tally: inout PowerCutTally) throws {
        var random = SeededGenerator(seed: seed)
        let notes = try (1...2).map { try NoteWriter(daemon.socketPath, name: "cut \(seed) writer \($0)") }
        let decisions = try DecisionWriter(daemon.socketPath, after: decision)
        let goal = Int.random(in: 0...150, using: &random)
        let isReached = eventually(within: 20) {
            notes.reduce(0) { $0 + $1.count } + decisions.standing.count >= goal
        }
        #expect(isReached, "\(notes.compactMap(\.ending)) \(daemon.log)")
        daemon.signal(SIGKILL)
        #expect(try daemon.wait() == .killed(signal: SIGKILL))
        for note in notes { #expect(note.waitForEnd()) }
        #expect(decisions.waitForEnd())

        try disk.follow(try shim.takeLog())
        // Of what was made at the first start nothing but what the daemon has seen to is there.
        let style = isNew ? .nothing : CutStyle.allCases.randomElement(using: &random) ?? .nothing
        isNew = false
        let cut = try disk.cut(style, using: &random)
        tally.cuts[style, default: 0] += 1
        tally.unsynchronized += cut.unsynchronized
        try daemon.restart()
        tally.notes += try checkEvents(notes.flatMap(\.acknowledged), &tally)
        tally.decisions += try checkDecision(decisions.standing, &tally)
    }

    private func checkEvents(_ notes: [NoteWriter.Acknowledged], _ tally: inout PowerCutTally) throws -> Int {
        let client = try Client(path: daemon.socketPath, timeout: .seconds(10))
        var texts: [Int64: String] = [:]
        var expected = newest
        while true {
            let reply = try client.call(
                JournalMethod.read.rawValue, ["after": .integer(expected)], timeout: .seconds(10))
            for event in try #require(reply["events"]?.arrayValue).compactMap(JournalEntry.init) {
                expected += 1
                if event.sequence != expected { tally.findings.append("event \(expected) is missing") }
                expected = event.sequence
                if event.kind == "note" {
                    texts[event.sequence] = event.details.first { $0.key == "text" }?.value.stringValue
                }
            }
            if reply["isComplete"]?.boolValue ?? true { break }
        }
        newest = expected
        let lost = notes.filter { texts[$0.sequence] != $0.text }
        if !lost.isEmpty { tally.findings.append("\(lost.count) of \(notes.count) acknowledged notes are lost") }
        let verification = try client.call(JournalMethod.verify.rawValue, timeout: .seconds(30))["verification"]
        let found = try #require(verification.flatMap(JournalVerification.init))
        if !found.isSound { tally.findings += found.findings }
        if daemon.log.contains("set aside") { tally.findings.append("the database was set aside") }
        return notes.count
    }

    private func checkDecision(_ standing: DecisionWriter.Standing, _ tally: inout PowerCutTally) throws -> Int {
        let app = try OperatorClient(daemon).app("trailmap")
        let isAllowed = app?.permission == .always
        let possible = [standing.acknowledged, standing.asked].compactMap { $0 }
        if !possible.isEmpty, !possible.contains(isAllowed) {
            tally.findings.append("the decision \(possible) is lost: \(app.map { "\($0.permission)" } ?? "no app")")
        }
        decision = DecisionWriter.Standing(acknowledged: isAllowed)
        return standing.count
    }
}

/// Allows an app everything and nothing in turn, as fast as it is acknowledged, on a thread of its own, until the daemon is
/// gone.
private final class DecisionWriter: Sendable {
    /// What was decided.
    struct Standing {
        /// Whether the app may have everything, as the daemon said last; nil where it said nothing.
        var acknowledged: Bool?
        /// What was asked for last, whether or not it was answered; nil for nothing.
        var asked: Bool?
        /// How many answers came.
        var count = 0
    }

    private let state: Mutex<(standing: Standing, isOver: Bool)>

    init(_ socketPath: String, after standing: Standing) throws {
        state = Mutex((standing, false))
        try DetachedThread.start(name: "decision-writer") { [self] in
            // It ends with the daemon.
            do { try write(socketPath) } catch {}
            state.withLock { $0.isOver = true }
        }
    }

    var standing: Standing { state.withLock { $0.standing } }

    /// Whether it ends in time.
    func waitForEnd() -> Bool { eventually { state.withLock { $0.isOver } } }

    private func write(_ socketPath: String) throws {
        let client = try Client(path: socketPath, timeout: .seconds(10))
        var isAllowed = !(standing.acknowledged ?? false)
        while true {
            var writer = JSONWriter()
            AuthorizeRequest(app: "trailmap", uid: 1_000, status: isAllowed ? .always : .deny).write(to: &writer)
            state.withLock { $0.standing.asked = isAllowed }
            _ = try client.call(
                ManageMethod.authorize.rawValue, try JSON.parse(writer.bytes), timeout: .seconds(10))
            state.withLock {
                $0.standing.acknowledged = isAllowed
                $0.standing.count += 1
            }
            isAllowed.toggle()
        }
    }
}
