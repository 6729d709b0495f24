import Cryptography
import Glibc
import Interfaces
import Location
import Platform
import Protection
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Data protection as operators, apps and thieves have it, of a real daemon.
@Suite(.waits, .serialized, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct ProtectionTests {
    @Test func `a locked machine records, gives nothing away, and loses nothing`() throws {
        let scene = try ProtectionScene()
        try scene.wait(for: 10)
        #expect(try scene.status().state == .open)
        #expect(try scene.recording().protection?.rawValue == "none")
        try scene.protection("lock", code: 1)

        try scene.protection("set-passphrase", input: [ProtectionScene.passphrase])
        #expect(try scene.status().state == .unlocked)
        #expect(try scene.recording().protection == .completeUnlessOpen)
        #expect(try eventually(within: 60) { try scene.status().rowsToSeal == 0 })
        let before = try scene.wait(for: 10)
        try scene.lock()

        let locked = try scene.wait(for: 10)
        #expect(try scene.read().error == ErrorName.recordingProtectedDataUnavailable.rawValue)
        let verified = try scene.daemon.waymark("log", "--verify")
        #expect(verified.status == .exited(0) && verified.output.contains("could not be checked"), "\(verified.output)")

        // A wrong passphrase changes nothing.
        let refused = try scene.protection("unlock", input: ["a bicycle with a bell"], code: 1)
        #expect(refused.error.contains("does not unlock the data"))
        #expect(try scene.status().failures == 1)
        try scene.unlock()
        let points = try scene.readAll()
        #expect(points.map(\.sequence) == Array(1...Int64(points.count)) && points.count >= Int(locked))
        #expect(before < locked)

        let log = try scene.daemon.waymark("log", "--json").output
        for kind in ["protectionChanged", "dataLocked", "dataUnlockRefused", "dataUnlocked"] {
            #expect(log.contains(#""kind":"\#(kind)""#), "\(kind)")
        }
        for text in [log, scene.daemon.log] { #expect(!text.contains("bicycle"), "a secret is in a log") }
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `after a restart nothing is unlocked, recording goes on, and a waiting reader continues by itself`(
        signal: Int32
    ) throws {
        let scene = try ProtectionScene()
        try scene.protection("set-passphrase", input: [ProtectionScene.passphrase])
        try scene.wait(for: 10)
        try scene.restart(by: signal)
        #expect(try scene.status().state == .neverUnlocked)
        #expect(try eventually(within: 60) { try scene.recording().protection == .completeUnlessOpen })
        let last = try scene.wait(for: 10)
        #expect(try scene.read(after: last - 2).error == ErrorName.recordingProtectedDataUnavailable.rawValue)
        let reader = try scene.app()
        try reader.begin(
            RecordingInterface.Method.read.rawValue, #"{"identifier":"trip","after":\#(last - 2),"wait":true}"#)
        try scene.unlock()
        let reply = try #require(try reader.next(seconds: 60))
        #expect(RecordingPage(reply.parameters)?.points.first?.sequence == last - 1, "\(reply)")
        let points = try scene.readAll()
        #expect(points.map(\.sequence) == Array(1...Int64(points.count)))
    }

    @Test func `the status of an upload says that its recording is locked, unless the uploader knows another reason`()
        throws
    {
        let scene = try ProtectionScene()
        try scene.protection("set-passphrase", input: [ProtectionScene.passphrase])
        try scene.wait(for: 1)
        let uploader = try scene.app()
        try uploader.begin(UploadsInterface.Method.attach.rawValue, #"{"name":"trip"}"#, more: true)
        #expect(try uploader.next()?.error == nil)
        try scene.lock()
        #expect(try scene.read().error == ErrorName.recordingProtectedDataUnavailable.rawValue)
        for (reported, state, reason) in [
            (#""state":"waitingForRecording""#, "waitingForRecording", "protectedDataUnavailable"),
            (#""state":"idle""#, "waitingForRecording", "protectedDataUnavailable"),
            (#""state":"waitingForPath""#, "waitingForRecording", "protectedDataUnavailable"),
            (#""state":"waitingForPath","reason":"noRoute""#, "waitingForPath", "noRoute"),
            (#""state":"paused""#, "paused", nil),
        ] {
            let reply = try scene.app().call(
                UploadsInterface.Method.report.rawValue,
                #"{"name":"trip","status":{\#(reported),"attempt":0,"sent":0,"rejected":0}}"#)
            #expect(reply.error == nil, "\(reply.parameters)")
            let status = try #require(try OperatorClient(scene.daemon).uploads().first).status
            #expect(status.state.rawValue == state && status.reason?.rawValue == reason, "\(reported)")
        }
    }

    @Test func `the class complete is not written while the data is locked, and nothing is counted as lost`() throws {
        let scene = try ProtectionScene(manifest: "Protection=complete")
        try scene.protection("set-passphrase", input: [ProtectionScene.passphrase])
        try scene.wait(for: 5)
        #expect(try scene.recording().protection == .complete)
        try scene.lock()
        let recording = try scene.recording()
        #expect(recording.state == .protectedDataUnavailable)
        #expect(try scene.daemon.waymark("recording", "list").output.contains("the data is locked"))
        try scene.unlock()
        try scene.wait(for: 5)
        #expect(try scene.recording().dropped == 0)
        let points = try scene.readAll()
        #expect(points.map(\.sequence) == Array(1...Int64(points.count)))
    }

    @Test func `a restriction demands more than a manifest asks for`() throws {
        let scene = try ProtectionScene(manifest: "Protection=none")
        try scene.protection("set-passphrase", input: [ProtectionScene.passphrase])
        #expect(try scene.recording().protection?.rawValue == "none")
        try scene.apps.restrict("[Restrictions]\nMinimumProtection=completeUnlessOpen\n")
        #expect(try eventually(within: 60) { try scene.recording().protection == .completeUnlessOpen })
        #expect(try eventually(within: 60) { try scene.status().rowsToSeal == 0 })
        try scene.wait(for: 3)
        try scene.lock()
        #expect(try scene.read().error == ErrorName.recordingProtectedDataUnavailable.rawValue)
    }

    @Test func `secrets are added, changed and removed, and only those that are left unlock`() throws {
        let scene = try ProtectionScene()
        let first = ProtectionScene.passphrase
        try scene.protection("set-passphrase", input: [first])
        try scene.protection("set-passphrase", input: ["another"], code: 1)
        let shown = try scene.protection("add-recovery", input: [first]).output
        let words = shown.split(separator: "\n").filter { $0.hasPrefix("    ") }.joined(separator: " ")
        #expect(words.split(separator: " ").count == RecoveryKey.words)
        try scene.protection("change", input: [first, "a second one"])
        try scene.protection("unlock", input: [first], code: 1)
        try scene.protection("unlock", input: ["a second one"])
        try scene.protection("unlock", "--recovery", input: [words])
        try scene.protection("unlock", "--recovery", input: [words.replacing("o", with: "u")], code: 1)
        let slots = try scene.status().slots
        #expect(slots.map(\.kind) == [.passphrase, .recovery])
        let passphrase = try #require(slots.first { $0.kind == .passphrase }?.number)
        try scene.protection("remove", "\(passphrase)", "--recovery", input: [words])
        try scene.protection("unlock", input: ["a second one"], code: 1)
        let recovery = try #require(slots.first { $0.kind == .recovery }?.number)
        let last = try scene.protection("remove", "\(recovery)", "--recovery", input: [words], code: 1)
        #expect(last.error.contains("last"))
        // An old file of keys, in which a removed passphrase would unlock, is not used.
        let log = try scene.daemon.waymark("log", "--json").output
        #expect(!log.contains("second one") && !log.contains(words))
    }

    @Test func `an old copy of the file of keys is refused, and the latest one is used again`() throws {
        let scene = try ProtectionScene()
        let state = scene.apps.directory.file("state")
        try scene.protection("set-passphrase", input: [ProtectionScene.passphrase])
        let old = try BoundedFile.bytes(of: "\(state)/protection.keys", limit: 65_536)
        try scene.protection("change", input: [ProtectionScene.passphrase, "a second one"])
        let new = try BoundedFile.bytes(of: "\(state)/protection.keys", limit: 65_536)
        scene.daemon.signal(SIGTERM)
        _ = try scene.daemon.wait()
        for (bytes, isUsable) in [(old, false), (Array(new.dropLast(3)), false), (new, true)] {
            try DurableFile.replace("protection.keys", in: state, with: bytes, noun: "keys")
            try scene.start()
            #expect(try scene.status().state == (isUsable ? .neverUnlocked : .unusable))
            if isUsable {
                try scene.protection("unlock", input: ["a second one"])
            } else {
                // Nothing is written with a lesser class instead.
                #expect(try scene.recording().protection == .completeUnlessOpen)
                #expect(try scene.recording().state == .protectedDataUnavailable)
                try scene.protection("unlock", input: [ProtectionScene.passphrase], code: 1)
            }
            scene.daemon.signal(SIGTERM)
            _ = try scene.daemon.wait()
        }
    }

    @Test func `wrong secrets are throttled, also over a restart`() throws {
        let scene = try ProtectionScene()
        try scene.protection("set-passphrase", input: [ProtectionScene.passphrase])
        for _ in 0..<6 { try scene.protection("unlock", input: ["guess"], code: 1) }
        let wait = try scene.protection("unlock", input: [ProtectionScene.passphrase], code: 1)
        #expect(wait.error.contains("too many wrong secrets"), "\(wait.error)")
        try scene.restart(by: SIGKILL)
        #expect(try scene.status().wait > 0)
        try scene.protection("unlock", input: [ProtectionScene.passphrase], code: 1)
    }

    @Test func `an attempt is counted before it is tried, so that a kill in time gains none`() throws {
        let scene = try ProtectionScene()
        try scene.protection("set-passphrase", input: [ProtectionScene.passphrase])
        try scene.restart()
        let record = scene.apps.directory.file("state/protection.attempts")
        func counted() throws -> Bool {
            Bytes.contains(Array(#""failures":1"#.utf8), in: try BoundedFile.bytes(of: record, limit: 4_096))
        }
        #expect(try !counted())
        let (program, environment) = (try Products.program("waymark"), scene.daemon.environment())
        // On a busy machine the secret may be known to be right before the kill; then this is done again.
        var isInTime = false
        for _ in 0..<20 where !isInTime {
            let unlocking = try InBackground {
                try CompletedProcess.run(
                    program, ["unlock", "--stdin"], environment: environment,
                    input: ProtectionScene.passphrase + "\n", seconds: 90)
            }
            // Although the secret is right: this is not known yet.
            #expect(try eventually(within: 60) { try counted() || scene.status().state == .unlocked })
            scene.daemon.signal(SIGKILL)
            _ = try scene.daemon.wait()
            isInTime = try counted()
            try scene.start()
            _ = try unlocking.result()
        }
        #expect(isInTime, "no kill came before the attempt was over")
        let status = try scene.status()
        #expect(status.state == .neverUnlocked && status.failures == 1)
        // The right secret removes the count, on the disk as well.
        try scene.unlock()
        #expect(try scene.status().failures == 0 && !counted())
        // What fails for another reason than the secret is none.
        try scene.protection("remove", "7", input: [ProtectionScene.passphrase], code: 1)
        #expect(try !counted())
    }

    @Test func `apps are notified before and after, and only operators may do more`() throws {
        let scene = try ProtectionScene()
        let app = try scene.app()
        try app.begin(ProtectionInterface.Method.monitor.rawValue, "{}", more: true)
        func next() throws -> ProtectionInterface.Monitor.Reply {
            let reply = try #require(try app.next(seconds: 60))
            return try ProtectionInterface.Monitor.reply(reply.parameters)
        }
        #expect(try next().isProtectedDataAvailable)
        try scene.protection("set-passphrase", input: [ProtectionScene.passphrase])
        try scene.protection("lock")
        var announced = try next()
        while announced.becomesUnavailableIn == nil { announced = try next() }
        #expect(announced.isProtectedDataAvailable && (announced.becomesUnavailableIn ?? 99) <= 10)
        var locked = try next()
        while locked.isProtectedDataAvailable { locked = try next() }
        try scene.unlock()
        var unlocked = try next()
        while !unlocked.isProtectedDataAvailable { unlocked = try next() }
        let stranger = try scene.app()
        // Those of waymark-sync are refused to operators as well.
        let others: Set<ProtectionInterface.Method> = [.monitor, .monitorCopyKey, .releaseCopyKey]
        for method in ProtectionInterface.Method.allCases where !others.contains(method) {
            let reply = try stranger.call(method.rawValue, #"{"passphrase":"x","secret":"x","number":1,"user":1}"#)
            #expect(reply.error == ErrorName.protectionNotOperator.rawValue, "\(method)")
        }
    }
}
