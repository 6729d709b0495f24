import Glibc
import Interfaces
import Location
import Platform
import PowerCut
import TestClients
import TestSupport
import Testing
import Varlink

/// A daemon on a simulated disk, and everything that it has acknowledged.
final class PowerCutBench {
    private let bench: CutDaemon
    private var daemon: DaemonProcess { bench.daemon }
    private var recorder: String { bench.recorder }
    private var newest: Int64 = 0
    private var decision = DecisionWriter.AuthorizationState()
    private var recording = RecordingReader.AuthorizationState()

    init() throws {
        bench = try CutDaemon { apps in
            try apps.add("trailmap", name: "Trail Map", program: "/usr/bin/trailmap")
        }
        try OperatorClient(daemon).authorize("recorder", .always, uid: geteuid())
    }

    func end() throws { try bench.end() }

    /// Lets clients work for a short time, cuts the power, and checks the state afterwards.
    func cut(seed: UInt64, _ tally: inout PowerCutTally) throws {
        var random = SeededGenerator(seed: seed)
        let notes = try NoteWriter(daemon.socketPath, name: "cut \(seed)")
        let decisions = try DecisionWriter(daemon.socketPath, after: decision)
        let reader = try RecordingReader(recorder, daemon.socketPath, seed: seed, after: recording)
        let goal = Int.random(in: 0...150, using: &random)
        let settlements = Int.random(in: 0...20, using: &random)
        let isReached = eventually(within: 120) {
            notes.count + decisions.status.count >= goal && reader.status.settlements >= settlements
        }
        #expect(isReached, "\(notes.ending ?? "") \(reader.ending ?? "") \(daemon.log)")
        try bench.kill()
        #expect(notes.waitForEnd() && decisions.waitForEnd() && reader.waitForEnd())

        try cutPower(&random, &tally)
        try checkEvents(notes.acknowledged, &tally)
        try checkDecision(decisions.status, &tally)
        try checkRecording(reader.status, &tally)
        if daemon.log.contains("set aside") { tally.findings.append("the database was set aside") }
    }

    private func cutPower(_ random: inout SeededGenerator, _ tally: inout PowerCutTally) throws {
        let cut = try bench.cutPower(using: &random)
        tally.cuts[cut.style, default: 0] += 1
        tally.unsynchronized += cut.unsynchronized
    }

    /// Makes an app record, withdraws its authorization, cuts the power right after the reply, and checks the state of
    /// the recording, which has to be erased then.
    func cutAfterNo(seed: UInt64, _ tally: inout PowerCutTally) throws {
        var random = SeededGenerator(seed: seed)
        try OperatorClient(daemon).authorize("recorder", .always, uid: geteuid())
        let reader = try RecordingReader(
            recorder, daemon.socketPath, seed: seed, after: RecordingReader.AuthorizationState())
        let goal = Int.random(in: 1...10, using: &random)
        #expect(eventually(within: 60) { reader.status.read.count >= goal }, "\(reader.ending ?? "") \(daemon.log)")
        try OperatorClient(daemon).authorize("recorder", .deny, uid: geteuid())
        try bench.kill()
        #expect(reader.waitForEnd())
        try cutPower(&random, &tally)
        let client = try OperatorClient(daemon)
        if try client.app("recorder")?.permission != .denied { tally.findings.append("the no is lost") }
        // An erasure that a crash prevented happens when the daemon starts.
        let isErased = try eventually(within: 60) {
            try client.client.call(RecordingInterface.Method.list.rawValue, timeout: .seconds(60))["recordings"] == []
        }
        if !isErased { tally.findings.append("the recording still exists after a denial") }
    }

    private func checkEvents(_ notes: [NoteWriter.Acknowledged], _ tally: inout PowerCutTally) throws {
        let client = try Client(path: daemon.socketPath, timeout: .seconds(60))
        var texts: [Int64: String] = [:]
        while true {
            let reply = try client.call(JournalInterface.Read(after: newest), timeout: .seconds(60))
            for event in reply.events {
                if event.sequence != newest + 1 { tally.findings.append("event \(newest + 1) is missing") }
                newest = event.sequence
                guard event.kind == "note" else { continue }
                texts[event.sequence] = event.details["text"]?.stringValue
            }
            if reply.isComplete { break }
        }
        let lost = notes.filter { texts[$0.sequence] != $0.text }
        if !lost.isEmpty { tally.findings.append("\(lost.count) of \(notes.count) acknowledged notes are lost") }
        let found = try client.call(JournalInterface.Verify(), timeout: .seconds(60)).verification
        if !found.isSound { tally.findings += found.findings }
        tally.notes += notes.count
    }

    private func checkDecision(_ status: DecisionWriter.AuthorizationState, _ tally: inout PowerCutTally) throws {
        let app = try OperatorClient(daemon).app("trailmap")
        let isAllowed = app?.permission == .always
        let possible = [status.acknowledged, status.asked].compactMap { $0 }
        if !possible.isEmpty, !possible.contains(isAllowed) {
            tally.findings.append("the decision \(possible) is lost: \(app.map { "\($0.permission)" } ?? "no app")")
        }
        decision = DecisionWriter.AuthorizationState(acknowledged: isAllowed)
        tally.decisions += status.count
    }

    private func checkRecording(_ status: RecordingReader.AuthorizationState, _ tally: inout PowerCutTally) throws {
        tally.settlements += status.settlements
        tally.positions += status.read.count
        let retained = try OperatorClient(daemon).recordings().first
        guard let retained else {
            if status.id != nil { tally.findings.append("the recording is lost") }
            return recording = RecordingReader.AuthorizationState()
        }
        if let id = status.id, id != retained.id { tally.findings.append("the recording is another one") }
        if retained.last < status.last {
            tally.findings.append("position \(status.last) was read, \(retained.last) is the last")
        }
        if retained.acknowledged < status.acknowledged || retained.acknowledged > status.requestedToAcknowledge {
            tally.findings.append("the cursor is \(retained.acknowledged), \(status.acknowledged) was acknowledged")
        }
        let app = try AppClient(recorder, to: daemon.socketPath, as: geteuid())
        let letters = try RecordingReader.deadLetters(app)
        if !letters.isSuperset(of: status.rejected) { tally.findings.append("a dead letter is lost") }
        if !letters.isSubset(of: status.requestedToReject) {
            tally.findings.append("a dead letter without a rejection")
        }
        try checkPositions(retained, letters, status, app, &tally)
        recording = RecordingReader.AuthorizationState(
            id: retained.id, last: retained.last, acknowledged: retained.acknowledged,
            requestedToAcknowledge: retained.acknowledged,
            rejected: letters, requestedToReject: letters)
    }

    /// Every number after the cursor has its position, the same that was read before, or is a dead letter.
    private func checkPositions(
        _ retained: KnownRecording, _ letters: Set<Int64>, _ status: RecordingReader.AuthorizationState,
        _ app: AppClient,
        _ tally: inout PowerCutTally
    ) throws {
        var next = retained.acknowledged + 1
        // Not further: on a busy machine each read may find a new position.
        while next <= retained.last {
            let points = try RecordingReader.read(app, after: next - 1, waits: false).points
            if points.isEmpty { break }
            for point in points {
                while letters.contains(next) { next += 1 }
                if point.sequence != next { tally.findings.append("number \(next) is missing") }
                if let read = status.read[point.sequence], read != point.position.timestamp {
                    tally.findings.append("number \(point.sequence) is another position than was read")
                }
                next = point.sequence + 1
            }
        }
        while letters.contains(next) { next += 1 }
        if next <= retained.last { tally.findings.append("numbers \(next) to \(retained.last) are missing") }
    }
}
