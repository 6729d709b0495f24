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
    private let apps: TestApps
    private let recorder: String
    private let receiver: FedTerminal
    private let gpsd: RestartableGPSD
    private let daemon: DaemonProcess
    private let shim: PowerCutShim
    private var disk: SimulatedDisk
    private var isNew = true
    private var newest: Int64 = 0
    private var decision = DecisionWriter.AuthorizationState()
    private var recording = RecordingReader.AuthorizationState()

    init() throws {
        apps = try TestApps()
        try apps.add("trailmap", name: "Trail Map", program: "/usr/bin/trailmap")
        recorder = try apps.program("recorder")
        try apps.add("recorder", name: "Recorder", program: recorder, "Record=yes")
        // Fifty positions a second, for longer than a disk is used.
        receiver = try FedTerminal(
            try Products.recording("ten-hertz", seconds: 1_200, in: apps.directory), pace: .times(5))
        gpsd = try RestartableGPSD([receiver.path])
        try gpsd.start()
        receiver.begin()
        let folder = apps.directory.file("state")
        shim = try PowerCutShim(watching: folder, in: apps.directory)
        disk = try SimulatedDisk(folder: folder)
        var surroundings = DaemonSurroundings()
        surroundings.entrance = shim.entrance()
        daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), gpsd: gpsd.address, logLevel: "warning",
            more: ["--simulated"], surroundings: surroundings)
        try OperatorClient(daemon).authorize("recorder", .always, uid: geteuid())
    }

    func end() throws {
        receiver.unplug()
        gpsd.stop()
        #expect(try daemon.stop() == .exited(0), "\(daemon.log)")
    }

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
        daemon.signal(SIGKILL)
        #expect(try daemon.wait() == .killed(signal: SIGKILL))
        #expect(notes.waitForEnd() && decisions.waitForEnd() && reader.waitForEnd())

        try cutPower(&random, &tally)
        try checkEvents(notes.acknowledged, &tally)
        try checkDecision(decisions.status, &tally)
        try checkRecording(reader.status, &tally)
        if daemon.log.contains("set aside") { tally.findings.append("the database was set aside") }
    }

    /// Reduces the files of the killed daemon to a state that a disk would have, and starts it again.
    private func cutPower(_ random: inout SeededGenerator, _ tally: inout PowerCutTally) throws {
        try disk.follow(try shim.drainLog())
        // Of the files from the first start, only those that the daemon has synchronized exist.
        let style = isNew ? .nothing : CutStyle.allCases.randomElement(using: &random) ?? .nothing
        isNew = false
        let cut = try disk.cut(style, using: &random)
        tally.cuts[style, default: 0] += 1
        tally.unsynchronized += cut.unsynchronized
        try daemon.restart()
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
        daemon.signal(SIGKILL)
        #expect(try daemon.wait() == .killed(signal: SIGKILL))
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
        while true {
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
