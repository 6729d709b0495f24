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

/// Data protection of users who have a passphrase of their own, on a machine that others use as well.
@Suite(.waits, .serialized, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct UserProtectionTests {
    private static let (anna, bert) = (TwoUserScene.anna, TwoUserScene.bert)
    private static let locked = ErrorName.recordingProtectedDataUnavailable.rawValue

    @Test func `a user locks her own data, others read theirs, and not even root reads hers`() throws {
        let scene = try TwoUserScene()
        let (anna, bert) = (Self.anna, Self.bert)
        for uid in [anna, bert] { try scene.wait(uid, for: 10) }
        #expect(try scene.protection(anna, "status").output.contains("has set no passphrase"))
        try scene.protection(anna, "lock", code: 1)
        try scene.protect(anna)
        #expect(try scene.status().state == .open && scene.status(bert).state == .open)
        #expect(try scene.recording(anna).protection == .completeUnlessOpen)
        #expect(try scene.recording(bert).protection?.rawValue == "none")
        #expect(try scene.isComplete(anna) && scene.isComplete(bert))
        try scene.lock(anna)
        let last = try scene.wait(anna, for: 10)
        #expect(try scene.readAll(anna).error == Self.locked)
        #expect(try scene.isComplete(bert), "another user's lock is no lock of his")
        // Root has no secret of hers, and its own do nothing for her.
        #expect(try scene.protection(0, "unlock", input: ["a guess"], code: 1).error.contains("No passphrase was set"))
        try scene.protection(0, "set-passphrase", input: ["of the machine"])
        try scene.protection(0, "unlock", input: ["of the machine"])
        try scene.protection(0, "unlock", "--user", "\(anna)", input: ["of the machine"], code: 1)
        #expect(try scene.readAll(anna).error == Self.locked)
        #expect(try scene.isComplete(bert))
        // Nobody else names her.
        #expect(try scene.protection(bert, "status", "--user", "\(anna)", code: 4).error.contains("Only operators"))
        try scene.protection(bert, "unlock", "--user", "\(anna)", input: [TwoUserScene.passphrase], code: 4)
        try scene.protection(bert, "lock", "--user", "0", code: 4)
        #expect(try scene.status(anna).state == .locked && scene.status(anna).failures == 1)

        try scene.protection(anna, "unlock", input: [TwoUserScene.passphrase])
        #expect(try scene.isComplete(anna) && scene.readAll(anna).points.count >= Int(last))
        let log = try scene.daemon.waymark("log", "--json").output
        #expect(log.contains(#""by":"user \#(anna)""#), "\(log)")
        for text in [log, scene.daemon.log] { #expect(!text.contains("heron"), "a secret is in a log") }
    }

    @Test func `the machine's lock does not close the data of a user with a passphrase of her own`() throws {
        let scene = try TwoUserScene()
        let (anna, bert) = (Self.anna, Self.bert)
        try scene.protection(0, "set-passphrase", input: ["of the machine"])
        for uid in [anna, bert] { try scene.wait(uid, for: 10) }
        // What the machine's keys seal moves to hers.
        try scene.protect(anna)
        #expect(try scene.openRows(anna) == "0")
        try scene.protection(0, "lock")
        #expect(try eventually(within: 60) { try scene.status().state == .locked })
        #expect(try scene.isComplete(anna))
        #expect(try scene.readAll(bert).error == Self.locked)
        try scene.restart()
        #expect(try scene.readAll(anna).error == Self.locked)
        try scene.protection(anna, "unlock", input: [TwoUserScene.passphrase])
        try scene.wait(anna, for: 5)
        #expect(try scene.isComplete(anna))
        #expect(try scene.readAll(bert).error == Self.locked)
        #expect(try scene.status().state == .neverUnlocked && scene.status(anna).state == .unlocked)
    }

    @Test func `wrong passphrases of one user throttle that user only, also over a restart`() throws {
        let scene = try TwoUserScene()
        let (anna, bert) = (Self.anna, Self.bert)
        try scene.protection(0, "set-passphrase", input: ["of the machine"])
        for uid in [anna, bert] { try scene.protection(uid, "set-passphrase", input: [TwoUserScene.passphrase]) }
        for _ in 0..<6 { try scene.protection(anna, "unlock", input: ["guess"], code: 1) }
        let refused = try scene.protection(anna, "unlock", input: [TwoUserScene.passphrase], code: 1)
        #expect(refused.error.contains("too many wrong secrets"), "\(refused.error)")
        try scene.restart()
        #expect(try scene.status(anna).wait > 0 && scene.status(bert).wait == 0 && scene.status().wait == 0)
        try scene.protection(anna, "unlock", input: [TwoUserScene.passphrase], code: 1)
        try scene.protection(bert, "unlock", input: [TwoUserScene.passphrase])
        try scene.protection(0, "unlock", input: ["of the machine"])
        #expect(try scene.status(anna).state == .neverUnlocked)
    }

    @Test func `guesses at once try no more secrets than guesses one after the other`() throws {
        let scene = try TwoUserScene()
        let anna = Self.anna
        try scene.protection(anna, "set-passphrase", input: [TwoUserScene.passphrase])
        try scene.lock(anna)
        let socket = scene.daemon.socketPath
        // Of the user's programs and of an operator.
        let thieves = try (0..<8).map { thief in
            try InBackground {
                var tried = 0
                for guess in 0..<200 {
                    let client =
                        thief.isMultiple(of: 2)
                        ? try Client(adopting: OtherUser.connect(to: socket, as: anna))
                        : try Client(path: socket, timeout: .seconds(60))
                    let refusal = try Refusal {
                        _ = try client.call(
                            ProtectionInterface.Unlock(secret: "guess \(guess)", user: Int64(anna)),
                            timeout: .seconds(60))
                    }
                    if refusal?.error == .protectionWrongSecret { tried += 1 }
                    if refusal?.error == .protectionTooManyAttempts { return tried }
                    #expect(
                        [.protectionWrongSecret, .protectionBusy].contains(refusal?.error),
                        "\(String(describing: refusal))")
                    if refusal?.error == .protectionBusy { _ = poll(nil, 0, 50) }
                }
                return tried
            }
        }
        let tried = try thieves.map { try $0.result() }.reduce(0, +)
        #expect(tried == 6)
        #expect(try scene.status(anna).failures == 6 && scene.status(anna).wait > 0)
        try scene.protection(anna, "unlock", input: [TwoUserScene.passphrase], code: 1)
        // The files are nobody else's.
        for name in ["protection", "protection/\(anna).keys", "protection/\(anna).attempts"] {
            var found = stat()
            #expect(stat(scene.file(name), &found) == 0 && found.st_mode & 0o077 == 0, "\(name)")
        }
    }

    @Test func `a thief finds no coordinate of the user whose data is locked, and no row that another key opens`()
        throws
    {
        let scene = try TwoUserScene()
        let anna = Self.anna
        try scene.wait(anna, for: 20)
        try scene.protect(anna)
        try scene.wait(anna, for: 20)
        try scene.lock(anna)
        let last = try scene.wait(anna, for: 20)
        let image = try DirectoryListing.files(scene.file("")) + DirectoryListing.files(scene.file("protection"))
        #expect(image.map(\.name).contains { $0.hasSuffix("\(anna).keys") }, "\(image.map(\.name))")
        #expect(try scene.openRows(anna) == "0")
        #expect(try scene.openRows(Self.bert) != "0", "the query finds what is not locked")
        try scene.protection(anna, "unlock", input: [TwoUserScene.passphrase])
        let positions = try scene.readAll(anna).points.filter { $0.sequence <= last }.map(\.position)
        #expect(positions.count == Int(last))
        let needles = positions.flatMap { position in
            [position.coordinate.latitude, position.coordinate.longitude].flatMap(CoordinateEncodings.all)
        }
        for needle in needles.prefix(40) {
            #expect(Bytes.contains(needle, in: image[0].bytes + [1, 2] + needle + [3]))
        }
        for (name, bytes) in image {
            #expect(needles.count { Bytes.contains($0, in: bytes) } == 0, "\(name)")
        }
    }

    @Test(.enabled(if: ProcessMemory.isReadable, "a sanitizer's memory is too large to be copied"))
    func `no key that a user has locked is in the memory of the daemon`() throws {
        let scene = try TwoUserScene()
        let (anna, bert) = (Self.anna, Self.bert)
        for uid in [anna, bert] { try scene.protect(uid) }
        let machine = try #require(SymmetricKey(try Secret(reading: scene.file("machine.secret"))))
        func keys(_ uid: UInt32) throws -> [[UInt8]] {
            let text = try BoundedFile.bytes(of: scene.file("protection/\(uid).keys"), limit: 65_536)
            let keys = try KeyFile(text: text, of: uid, machine: machine).unlock(
                with: .passphrase(try Secret(TwoUserScene.passphrase)), machine: machine)
            return try [ProtectionClass.complete, .completeUnlessOpen].map { try #require(keys[$0]).withCopy { $0 } }
        }
        let needles = try keys(anna) + keys(bert)
        let process = scene.daemon.processID
        #expect(try ProcessMemory.contains(needles, in: process) == [true, true, true, true])
        try scene.lock(anna)
        try scene.wait(anna, for: 5)
        #expect(try ProcessMemory.contains(needles, in: process) == [false, false, true, true])
    }

    @Test func `a folder of files that cannot be read stops recordings, and makes nothing plain`() throws {
        let scene = try TwoUserScene()
        let anna = Self.anna
        try scene.protect(anna)
        scene.daemon.signal(SIGTERM)
        _ = try scene.daemon.wait()
        // Root may read every folder, so it is none.
        let (folder, aside) = (scene.file("protection"), scene.file("aside"))
        try retrying("rename") { rename(folder, aside) }
        try scene.apps.directory.write("state/protection", "")
        try scene.startAgain()
        #expect(try scene.status(anna).state == .unusable)
        #expect(try eventually(within: 60) { try scene.recording(anna).state == .protectedDataUnavailable })
        try scene.protection(anna, "unlock", input: [TwoUserScene.passphrase], code: 1)
        try scene.protection(anna, "set-passphrase", input: ["another"], code: 1)
        scene.daemon.signal(SIGTERM)
        _ = try scene.daemon.wait()
        try retrying("remove") { unlink(folder) }
        try retrying("rename") { rename(aside, folder) }
        try scene.startAgain()
        try scene.protection(anna, "unlock", input: [TwoUserScene.passphrase])
        try scene.wait(anna, for: 5)
        #expect(try scene.isComplete(anna))
        #expect(try scene.openRows(anna) == "0")
    }

    @Test func `one user's file of keys in the place of another's is refused`() throws {
        let scene = try TwoUserScene()
        let (anna, bert) = (Self.anna, Self.bert)
        for uid in [anna, bert] { try scene.protection(uid, "set-passphrase", input: ["of \(uid)"]) }
        try scene.wait(bert, for: 5)
        let hers = try BoundedFile.bytes(of: scene.file("protection/\(anna).keys"), limit: 65_536)
        let his = try BoundedFile.bytes(of: scene.file("protection/\(bert).keys"), limit: 65_536)
        for (bytes, isUsable) in [(hers, false), (his, true)] {
            scene.daemon.signal(SIGTERM)
            _ = try scene.daemon.wait()
            try DurableFile.replace("\(bert).keys", in: scene.file("protection"), with: bytes, noun: "keys")
            try scene.startAgain()
            #expect(try scene.status(bert).state == (isUsable ? .neverUnlocked : .unusable))
            #expect(try scene.status(bert).problem?.contains("belongs to the user \(anna)") == (isUsable ? nil : true))
            for uid in [anna, bert] {
                try scene.protection(bert, "unlock", input: ["of \(uid)"], code: isUsable && uid == bert ? 0 : 1)
            }
            try scene.protection(anna, "unlock", input: ["of \(anna)"])
        }
        #expect(try scene.isComplete(bert))
    }

    @Test func `whoever switches a passphrase off is under the machine's lock again`() throws {
        let scene = try TwoUserScene()
        let anna = Self.anna
        try scene.protect(anna)
        try scene.wait(anna, for: 10)
        try scene.lock(anna)
        try scene.protection(anna, "switch-off", "--yes", input: ["wrong"], code: 1)
        try scene.protection(anna, "switch-off", "--yes", input: [TwoUserScene.passphrase])
        #expect(try eventually(within: 60) { try scene.status(anna).state == .open }, "\(scene.daemon.log)")
        #expect(access(scene.file("protection/\(anna).keys"), F_OK) != 0)
        #expect(access(scene.file("protection/\(anna).attempts"), F_OK) != 0)
        try scene.wait(anna, for: 5)
        #expect(try scene.recording(anna).protection?.rawValue == "none")
        #expect(try scene.isComplete(anna))
        // Another passphrase afterwards has other keys.
        try scene.protect(anna)
        #expect(try scene.isComplete(anna))
        // With a passphrase of the machine, they go to its keys.
        try scene.protection(0, "set-passphrase", input: ["of the machine"])
        try scene.protection(anna, "switch-off", "--yes", input: [TwoUserScene.passphrase])
        #expect(try eventually(within: 60) { try scene.status(anna).state == .open }, "\(scene.daemon.log)")
        #expect(try scene.isComplete(anna))
        try scene.restart()
        #expect(try scene.readAll(anna).error == Self.locked)
        try scene.protection(0, "unlock", input: ["of the machine"])
        #expect(try scene.isComplete(anna))
    }

    @Test func `rows move to a user's keys when the machine is unlocked, and the commands say so until then`() throws {
        let scene = try TwoUserScene()
        let anna = Self.anna
        try scene.protection(0, "set-passphrase", input: ["of the machine"])
        try scene.wait(anna, for: 20)
        try scene.restart()
        try scene.wait(anna, for: 5)
        let words = "wait until an operator unlocks the machine's data"
        #expect(try scene.protection(anna, "set-passphrase", input: [TwoUserScene.passphrase]).output.contains(words))
        try scene.wait(anna, for: 5)
        #expect(try scene.readAll(anna).error == Self.locked, "its first rows are the machine's")
        // A crash changes nothing of it.
        try scene.restart()
        #expect(try !scene.status(anna).isWaitingForMachine, "locked, nothing is to be done for her")
        try scene.protection(anna, "unlock", input: [TwoUserScene.passphrase])
        #expect(try scene.protection(anna, "status").output.contains(words))
        #expect(try scene.status(anna).isWaitingForMachine && scene.status(anna).rowsToSeal > 20)
        #expect(try !scene.status().isWaitingForMachine && scene.openRows(anna) != "0")
        try scene.protection(0, "unlock", input: ["of the machine"])
        #expect(try eventually(within: 60) { try scene.status(anna).rowsToSeal == 0 }, "\(scene.daemon.log)")
        #expect(try !scene.status(anna).isWaitingForMachine && scene.openRows(anna) == "0")
        #expect(try !scene.protection(anna, "status").output.contains(words))
        #expect(try scene.isComplete(anna))
        // Back, it needs no key of the machine's that is locked: the class of her recording is written with a public one.
        try scene.restart()
        let ended = try scene.protection(anna, "switch-off", "--yes", input: [TwoUserScene.passphrase])
        #expect(!ended.output.contains(words), "\(ended.output)")
        #expect(try eventually(within: 60) { try scene.status(anna).state == .open }, "\(scene.daemon.log)")
        #expect(try scene.status().state == .neverUnlocked && scene.readAll(anna).error == Self.locked)
        try scene.protection(0, "unlock", input: ["of the machine"])
        #expect(try scene.isComplete(anna))
    }

    @Test func `an operator removes the keys that a user has lost, and what they seal`() throws {
        let scene = try TwoUserScene()
        let (anna, bert) = (Self.anna, Self.bert)
        try scene.protect(anna)
        try scene.wait(anna, for: 10)
        try scene.lock(anna)
        #expect(try scene.protection(bert, "reset", "\(anna)", "--yes", code: 4).error.contains("Only operators"))
        #expect(try scene.protection(0, "reset", "\(bert)", "--yes", code: 1).error.contains("has set no passphrase"))
        let last = try scene.recording(anna).last
        #expect(try scene.protection(0, "reset", "\(anna)", "--yes").output.contains("is erased"))
        #expect(try scene.status(anna).state == .open)
        #expect(access(scene.file("protection/\(anna).keys"), F_OK) != 0)
        try scene.wait(anna, for: 5)
        let (points, error) = try scene.readAll(anna)
        #expect(error == nil && points.allSatisfy { $0.sequence >= last }, "\(points.first?.sequence ?? 0) \(last)")
        #expect(try scene.recording(anna).dropped > 0)
        #expect(try scene.isComplete(bert))
        #expect(try scene.daemon.waymark("log", "--verify").status == .exited(0))
        // She may set another one.
        try scene.protect(anna)
    }

    @Test func `programs are notified about the data of their own user`() throws {
        let scene = try TwoUserScene()
        let (anna, bert) = (Self.anna, Self.bert)
        let (hers, his) = (try scene.app(anna), try scene.app(bert))
        for app in [hers, his] { try app.begin(ProtectionInterface.Method.monitor.rawValue, "{}", more: true) }
        func next(_ app: AppClient, seconds: Double = 60) throws -> ProtectionInterface.Monitor.Reply? {
            try app.next(seconds: seconds).map { try ProtectionInterface.Monitor.reply($0.parameters) }
        }
        #expect(try next(hers)?.isProtectedDataAvailable == true)
        #expect(try next(his)?.isProtectedDataAvailable == true)
        try scene.protection(anna, "set-passphrase", input: [TwoUserScene.passphrase])
        try scene.protection(anna, "lock")
        let announced = try next(hers)
        #expect(announced?.isProtectedDataAvailable == true && announced?.becomesUnavailableIn ?? 99 <= 10)
        #expect(try next(hers)?.isProtectedDataAvailable == false)
        try scene.protection(anna, "unlock", input: [TwoUserScene.passphrase])
        #expect(try next(hers)?.isProtectedDataAvailable == true)
        #expect(try next(his, seconds: 1) == nil, "another user's lock is no concern of his")
        // An app has no say, whatever user runs it.
        let others: Set<ProtectionInterface.Method> = [.monitor, .monitorCopyKey, .releaseCopyKey]
        for method in ProtectionInterface.Method.allCases where !others.contains(method) {
            let reply = try scene.app(anna).call(
                method.rawValue, #"{"passphrase":"x","secret":"x","number":1,"user":\#(anna)}"#)
            #expect(reply.error == ErrorName.protectionNotOperator.rawValue, "\(method)")
        }
    }

    @Test func `the machine's secret is exchanged under the locks of users as well`() throws {
        let scene = try TwoUserScene()
        let (anna, bert) = (Self.anna, Self.bert)
        for uid in [anna, bert] { try scene.protect(uid) }
        try scene.wait(anna, for: 5)
        try scene.lock(anna)
        let before = try BoundedFile.bytes(of: scene.file("machine.secret"), limit: 64)
        try scene.protection(0, "renew-machine-secret")
        #expect(try BoundedFile.bytes(of: scene.file("machine.secret"), limit: 64) != before)
        // The journal removes it after the reply to the command.
        #expect(eventually(within: 60) { access(scene.file("machine.secret.former"), F_OK) != 0 })
        #expect(try scene.isComplete(bert) && scene.readAll(anna).error == Self.locked)
        for isRestarted in [false, true] {
            if isRestarted { try scene.restart() }
            for uid in [anna, bert] { try scene.protection(uid, "unlock", input: [TwoUserScene.passphrase]) }
            #expect(try scene.isComplete(anna) && scene.isComplete(bert))
        }
    }

    @Test func `a damaged file of one user disturbs no other, also when the machine's secret is exchanged`() throws {
        let scene = try TwoUserScene()
        let (anna, bert) = (Self.anna, Self.bert)
        for uid in [anna, bert] { try scene.protect(uid) }
        let path = "protection/\(bert).keys"
        let text = try BoundedFile.bytes(of: scene.file(path), limit: 65_536)
        scene.daemon.signal(SIGTERM)
        _ = try scene.daemon.wait()
        try DurableFile.replace(path, in: scene.file(""), with: Array(text.dropLast(3)), noun: "keys")
        try scene.startAgain()
        #expect(try scene.status(bert).state == .unusable && scene.status(anna).state == .neverUnlocked)
        try scene.protection(anna, "unlock", input: [TwoUserScene.passphrase])
        try scene.protection(0, "renew-machine-secret")
        #expect(try scene.status(anna).state == .unlocked)
        try scene.wait(anna, for: 5)
        #expect(try scene.isComplete(anna), "what was unlocked before is so afterwards")
        #expect(try scene.status(bert).state == .unusable)
        // The former secret opens the file that is restored from a backup.
        #expect(access(scene.file("machine.secret.former"), F_OK) == 0)
        scene.daemon.signal(SIGTERM)
        _ = try scene.daemon.wait()
        try DurableFile.replace(path, in: scene.file(""), with: text, noun: "keys")
        try scene.startAgain()
        try scene.protection(bert, "unlock", input: [TwoUserScene.passphrase])
        try scene.wait(bert, for: 5)
        #expect(try scene.isComplete(bert))
        #expect(eventually(within: 60) { access(scene.file("machine.secret.former"), F_OK) != 0 })
    }
}
