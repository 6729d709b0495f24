import Cryptography
import Hub
import JSONText
import Platform
import Records
import Storage
import SyncInterface
import TestHubs
import TestSupport
import TestTraits
import Testing
import Varlink

@testable import Sync

/// Encrypted fields with a real hub and real programs.
@Suite(.waits, .timeLimit(.minutes(15))) struct EncryptedFieldTests {
    private static let secret = "the house by the river"

    private func failure(_ body: () throws -> Void) -> SyncInterface.Failure? {
        do {
            try body()
            return nil
        } catch VarlinkError.reply(let name, let details) {
            return SyncInterface.Failure(name: name, parameters: details)
        } catch { return nil }
    }

    private func isUnavailable(_ body: () throws -> Void) -> Bool {
        if case .encryptedDataUnavailable? = failure(body) { true } else { false }
    }

    private func isRefused(_ body: () throws -> Void) -> Bool {
        if case .refused? = failure(body) { true } else { false }
    }

    /// The files of the hub that contain a text.
    private func files(of hub: HubProcess, with text: String) throws -> [String] {
        try DirectoryListing.files(hub.folder.file("hub")).filter { Bytes.contains(Array(text.utf8), in: $0.bytes) }
            .map(\.name)
    }

    @Test func `trusted machines read a value that the hub has nowhere in its files`() throws {
        let scene = try SyncMachines("laptop", "phone")
        let (laptop, phone) = (scene.machines[0], scene.machines[1])
        try laptop.makeZone()
        try laptop.saveSecret("n1", Self.secret, text: "planted for the scanner")
        try laptop.synchronize()
        #expect(try laptop.secret("n1") == Self.secret)
        #expect(try !files(of: scene.hub, with: "planted for the scanner").isEmpty, "the scanner finds what is plain")
        #expect(try files(of: scene.hub, with: Self.secret) == [])
        let base64 = String(Base64.text(Array(Self.secret.utf8)).prefix(24))
        #expect(try files(of: scene.hub, with: base64) == [])
        // Nor is it in the copy, in which everything else is plain.
        let copy = try DirectoryListing.files(laptop.folder.file("copy"))
        #expect(copy.contains { Bytes.contains(Array("planted for the scanner".utf8), in: $0.bytes) })
        #expect(!copy.contains { Bytes.contains(Array(Self.secret.utf8), in: $0.bytes) })

        // Another machine has everything but the encrypted field, and changes do it no harm.
        _ = try phone.call(SyncInterface.ListZones(container: SyncProcess.container))
        try phone.waitForNotes(["n1": "planted for the scanner"])
        #expect(try phone.secretJSON("n1")?["sealed"]?.stringValue == "string")
        let code = try phone.code()
        try phone.save("n1", "changed on the phone")
        try laptop.waitForNotes(["n1": "changed on the phone"])
        #expect(try laptop.secret("n1") == Self.secret)
        #expect(isUnavailable { try phone.saveSecret("n2", "x") })

        // The first machine is trusted by itself, and no other one is without the right code.
        #expect(try laptop.keys().generation == 1)
        let wrong = String(code.dropLast()) + (code.hasSuffix("0") ? "1" : "0")
        #expect(isRefused { _ = try laptop.call(SyncInterface.TrustMachine(code: wrong)) })
        #expect(isUnavailable { _ = try phone.call(SyncInterface.TrustMachine(code: code)) })
        #expect(try laptop.call(SyncInterface.TrustMachine(code: code.lowercased())).name == "phone")
        try phone.waitForSecret("n1", Self.secret)
        #expect(try laptop.keys().machines.map(\.trusted) == [true, true])
        #expect(try phone.keys().generation == 2 && phone.keys().code == nil)
        try phone.saveSecret("n2", "made on the phone")
        try laptop.waitForSecret("n2", "made on the phone")
        // Everything works without the hub, and after a crash.
        try scene.hub.stop()
        try phone.crash()
        try phone.saveSecret("n3", "made offline")
        #expect(try phone.secret("n1") == Self.secret && phone.secret("n3") == "made offline")
    }

    @Test func `an app is notified of values that it can read now`() throws {
        let scene = try SyncMachines("laptop", "phone")
        let (laptop, phone) = (scene.machines[0], scene.machines[1])
        try laptop.makeZone()
        try laptop.saveSecret("n1", Self.secret)
        _ = try phone.call(SyncInterface.ListZones(container: SyncProcess.container))
        try phone.waitForNotes(["n1": "plain"])
        _ = try phone.secretJSON("n1")
        let code = try phone.code()
        let before = try phone.call(SyncInterface.GetChanges(container: SyncProcess.container, since: 0))
        _ = try laptop.call(SyncInterface.TrustMachine(code: code))
        let isListed = eventually {
            attempt {
                try phone.call(
                    SyncInterface.GetChanges(container: SyncProcess.container, since: before.revision))
            }?.changes.contains {
                $0.record?["fields"]?["secret"]?["encrypted"]?["string"]?.stringValue == Self.secret
            } == true
        }
        #expect(isListed)
    }

    @Test func `a removed machine cannot read what is saved afterwards`() throws {
        let scene = try SyncMachines("laptop", "phone", "tablet")
        let (laptop, phone, tablet) = (scene.machines[0], scene.machines[1], scene.machines[2])
        let hostile = try HostileHub(scene.hub)
        try laptop.makeZone()
        try laptop.saveSecret("n1", Self.secret)
        for machine in [phone, tablet] {
            _ = try machine.call(SyncInterface.ListZones(container: SyncProcess.container))
            try machine.waitForNotes(["n1": "plain"])
            _ = try machine.secretJSON("n1")
            try laptop.trust(machine)
            try machine.waitForSecret("n1", Self.secret)
        }
        try phone.waitForGeneration(3)
        _ = try scene.hub.call(HubInterface.Remove(account: "alice", device: "tablet"))
        try laptop.waitForGeneration(4)
        try phone.waitForGeneration(4)
        #expect(try laptop.keys().machines.map(\.name) == ["laptop", "phone"])
        try phone.saveSecret("n2", "after the removal")
        try laptop.waitForSecret("n2", "after the removal")
        #expect(try laptop.secret("n1") == Self.secret, "older values can be read as before")
        let old = try #require(try hostile.keyName("n1"))
        // Its copy stays as it is, and erases nothing for a key that it could not send.
        #expect(try eventually { try tablet.call(SyncInterface.GetAccount()).state == .removed })
        #expect(try eventually { try tablet.secret("n1") == Self.secret })
        #expect(throws: VarlinkError.self) { try tablet.call(SyncInterface.ResetKeys(loseAssets: true)) }
        #expect(try tablet.secret("n1") == Self.secret)
        // The removed machine has no key that opens it, whatever the hub sends.
        try tablet.stop()
        let name = try #require(try hostile.keyName("n2"))
        // The same value is sealed again when an app saves it.
        try laptop.saveSecret("n1", Self.secret)
        try laptop.synchronize()
        #expect(try hostile.keyName("n1") == name)
        let cache = try SyncCache(folder: tablet.folder.file("copy"))
        let known = try cache.read { (tables) throws(StorageError) in try tables.accountKeys().keys.map(\.bytes) }
        #expect(known.contains(old) && !known.contains(name))
        // A machine that leaves is removed, too.
        try phone.synchronize()
        _ = try phone.call(SyncInterface.Leave(unsent: 0))
        try laptop.waitForGeneration(5)
    }

    @Test func `a hostile hub can exchange and replay values, and nothing else`() throws {
        let scene = try SyncMachines("laptop", "phone")
        let (laptop, phone) = (scene.machines[0], scene.machines[1])
        let hostile = try HostileHub(scene.hub)
        let notes = HubDevice.zone("alice")
        try laptop.makeZone()
        try laptop.saveSecret("n1", "one")
        try laptop.saveSecret("n2", "two")
        try laptop.synchronize()
        let (one, two) = (try hostile.fields("n1", in: notes), try hostile.fields("n2", in: notes))
        let sealed = try #require(one["secret"])
        // Into another field, and another record. The copy gets changes in order: with the second one it has both.
        try hostile.set("n1", ["other": sealed], in: notes)
        try hostile.set("n2", ["secret": sealed], in: notes)
        let has = eventually { (attempt { try laptop.secretJSON("n2") } ?? nil)?["sealed"] != nil }
        #expect(has)
        #expect(try laptop.secret("n2") == nil)
        let other = try laptop.call(
            SyncInterface.GetRecords(container: SyncProcess.container, zone: "notes", names: ["n1"])
        ).records.first?["fields"]
        #expect(other?["other"]?["sealed"] != nil && other?["secret"]?["encrypted"]?["string"]?.stringValue == "one")
        #expect(laptop.log.contains("was changed at the hub"))
        // A value of another record is no value of this one, not even if it is the same text that an app saves.
        try laptop.saveSecret("n2", "one")
        try laptop.waitForSecret("n2", "one")
        try laptop.synchronize()
        // An earlier value of the same field is genuine: that it is an old one nobody can know.
        try hostile.set("n2", ["secret": try #require(two["secret"])], in: notes)
        try laptop.waitForSecret("n2", "two")

        // The hub adds a machine of its own, with a key that it knows.
        let own = try #require(SealingKeyPair(privateKey: try SymmetricKey.random()))
        let guessed = try #require(PairingCode(RandomBytes.make(PairingCode.size)))
        let member = KeyGeneration.Member(try #require(DeviceID("hostile")), own.publicKey)
        let account = try #require(AccountID("alice"))
        try hostile.set(
            "device-hostile",
            [
                "key": ["bytes": .string(Base64.text(own.publicKey.bytes))],
                "proof": ["bytes": .string(Base64.text(try guessed.proof(of: member, in: account)))],
            ], type: "Device", in: HostileHub.keys)
        // It makes a generation that trusts it.
        let identity = DeviceIdentity(AccountDevice(account, member.name), own)
        let first = try hostile.fields("generation-1", in: HostileHub.keys)
        let statement = try #require(first["statement"]?["string"]?.stringValue)
        let wrapped = try #require(first["wrapped"]?["bytes"]?.stringValue.flatMap { Base64.bytes(Array($0.utf8)) })
        let genuine = try #require(KeyGeneration(text: Array(statement.utf8), wrapped: wrapped))
        let forged = try #require(
            try KeyGeneration(
                2, by: identity, for: genuine.statement.members + [member], key: try SymmetricKey.random(),
                previous: try SymmetricKey.random()))
        try hostile.set("generation-2", Self.fields(forged), type: "Generation", in: HostileHub.keys)
        let isNoticed = eventually { attempt { try laptop.keys() }?.problem != nil }
        #expect(isNoticed)
        #expect(try laptop.keys().generation == 1)
        try laptop.saveSecret("n3", "three")
        try laptop.synchronize()
        #expect(try hostile.keyName("n3") == hostile.keyName("n1"))
        try hostile.remove("generation-2", in: HostileHub.keys)
        try hostile.remove("device-hostile", in: HostileHub.keys)

        // It exchanges the key of a new machine for its own: the code does not fit.
        _ = try phone.call(SyncInterface.ListZones(container: SyncProcess.container))
        try phone.waitForNotes(["n1": "plain", "n2": "plain", "n3": "plain"])
        _ = try phone.secretJSON("n1")
        let code = try phone.code()
        try phone.synchronize()
        try phone.stop()
        let right = try hostile.fields("device-phone", in: HostileHub.keys)
        try hostile.set(
            "device-phone", ["key": ["bytes": .string(Base64.text(own.publicKey.bytes))]], type: "Device",
            in: HostileHub.keys)
        #expect(isRefused { _ = try laptop.call(SyncInterface.TrustMachine(code: code)) })
        try hostile.set("device-phone", right, type: "Device", in: HostileHub.keys)
        #expect(try laptop.call(SyncInterface.TrustMachine(code: code)).name == "phone")
        try phone.start()
        try phone.waitForSecret("n1", "one")

        // It replays an old generation as the next one.
        let second = try hostile.fields("generation-2", in: HostileHub.keys)
        try hostile.set("generation-3", second, type: "Generation", in: HostileHub.keys)
        let isFound = eventually { attempt { try phone.keys() }?.problem != nil }
        #expect(isFound)
        #expect(try phone.keys().generation == 2 && laptop.keys().generation == 2)
        #expect(try phone.secret("n1") == "one")
    }

    private static func fields(_ generation: KeyGeneration) -> JSON {
        [
            "statement": ["string": .string(String(decoding: generation.text, as: UTF8.self))],
            "wrapped": ["bytes": .string(Base64.text(generation.wrapped.flatMap { $0 }))],
        ]
    }

    @Test func `a machine that is killed while it makes another key ends what it has begun`() throws {
        var scene = try SyncMachines("laptop", "phone")
        let (laptop, phone) = (scene.machines[0], scene.machines[1])
        try laptop.makeZone()
        try laptop.saveSecret("n1", Self.secret)
        _ = try phone.call(SyncInterface.ListZones(container: SyncProcess.container))
        try phone.waitForNotes(["n1": "plain"])
        _ = try phone.secretJSON("n1")
        try laptop.trust(phone)
        try phone.waitForSecret("n1", Self.secret)
        for round in 0..<3 {
            let device = "tablet\(round)"
            let tablet = try scene.add(device)
            _ = try tablet.call(SyncInterface.ListZones(container: SyncProcess.container))
            try tablet.waitForNotes(try laptop.notes())
            _ = try tablet.secretJSON("n1")
            try laptop.trust(tablet)
            try tablet.waitForSecret("n1", Self.secret)
            try phone.stop()
            let before = try #require(try laptop.keys().generation)
            _ = try scene.hub.call(HubInterface.Remove(account: "alice", device: device))
            // At different points of making and sending the next generation.
            for _ in 0...round { try laptop.crash() }
            try laptop.waitForGeneration(before + 1)
            try laptop.saveSecret("r\(round)", "round \(round)")
            try laptop.synchronize()
            try phone.start()
            try phone.waitForSecret("r\(round)", "round \(round)")
            try tablet.stop()
        }
        #expect(try laptop.secret("n1") == Self.secret && phone.secret("n1") == Self.secret)
        #expect(try laptop.keys().machines.map(\.name) == ["laptop", "phone"])
    }

    @Test func `after a reset the zones are sent again, and a machine that has the key passes it on`() throws {
        let scene = try SyncMachines("laptop", "phone")
        let (laptop, phone) = (scene.machines[0], scene.machines[1])
        try laptop.makeZone()
        try laptop.saveSecret("n1", Self.secret)
        try laptop.synchronize()
        try laptop.stop()
        _ = try phone.call(SyncInterface.ListZones(container: SyncProcess.container))
        try phone.waitForNotes(["n1": "plain"])
        _ = try phone.secretJSON("n1")
        _ = try phone.code()
        #expect(try phone.call(SyncInterface.ResetKeys()).zones == 1)
        try phone.synchronize()
        try phone.waitForGeneration(1)
        #expect(try phone.notes() == ["n1": "plain"] && phone.secretJSON("n1") == nil)
        try phone.saveSecret("n2", "after the reset")
        try phone.synchronize()

        try laptop.start()
        let revision = try laptop.call(SyncInterface.GetChanges(container: SyncProcess.container, since: 0)).revision
        let code = try laptop.code()
        let listed = try laptop.call(SyncInterface.GetChanges(container: SyncProcess.container, since: 0)).changes
        #expect(listed.contains { $0.name == nil && $0.deleted == "encryptedDataReset" }, "\(listed) \(revision)")
        #expect(isUnavailable { try laptop.saveSecret("n3", "x") })
        #expect(try laptop.secret("n1") == Self.secret, "its own copy is readable all the while")
        try laptop.synchronize()
        _ = try phone.call(SyncInterface.TrustMachine(code: code))
        try laptop.waitForSecret("n2", "after the reset")
        // What this machine still had is on the other one now.
        try phone.waitForSecret("n1", Self.secret)
    }

    @Test func `a refused change stays set aside when a reset has its record sent again`() throws {
        let scene = try SyncMachines("laptop", "phone")
        let (laptop, phone) = (scene.machines[0], scene.machines[1])
        let container = SyncProcess.container
        try laptop.makeZone()
        try laptop.saveSecret("n1", Self.secret)
        try laptop.save("n2", "milk")
        try laptop.synchronize()
        let old = try laptop.call(SyncInterface.GetRecords(container: container, zone: "notes", names: ["n2"]))
        let tag = try #require(old.records.first?["changeTag"])
        try laptop.save("n2", "milk and bread")
        try laptop.synchronize()
        let change: JSON = [
            "save": [
                ["record": ["name": "n2", "type": "Note", "fields": ["text": ["string": "tea"]], "changeTag": tag]]
            ]
        ]
        _ = try laptop.call(SyncInterface.ModifyRecords(container: container, zone: "notes", request: change))
        try laptop.synchronize()
        #expect(try laptop.refused().map(\.name) == ["n2"])
        try laptop.stop()
        _ = try phone.call(SyncInterface.ListZones(container: container))
        try phone.waitForNotes(["n1": "plain", "n2": "milk and bread"])
        _ = try phone.code()
        #expect(try phone.call(SyncInterface.ResetKeys()).zones == 1)
        try phone.synchronize()

        try laptop.start()
        try laptop.synchronize()
        let refused = try laptop.refused()
        #expect(refused.map(\.name) == ["n2"])
        #expect("\(refused)".contains("tea"))
        #expect(try laptop.notes()["n2"] == "milk and bread")
        // The version is at the hub again, and no other program sees the refused one.
        try phone.synchronize()
        #expect(try phone.notes()["n2"] == "milk and bread")
        _ = try laptop.call(
            SyncInterface.DiscardChanges(container: container, zone: "notes", names: ["n2"], refused: true))
        #expect(try laptop.refused().isEmpty)
        try laptop.synchronize()
        #expect(try laptop.notes()["n2"] == "milk and bread")
    }

    @Test func `an engine of the library reports a reset with its reason, and goes on with what is sent again`()
        async throws
    {
        let scene = try SyncMachines("laptop", "phone")
        let (laptop, phone) = (scene.machines[0], scene.machines[1])
        let app = NotesApp(scene.database(0))
        try await app.start()
        try await app.makeZone()
        try await app.running().sendChanges()
        try laptop.saveSecret("n1", Self.secret)
        try await app.wait { $0.texts == ["n1": "plain"] }
        await app.forgetReports()
        _ = try phone.call(SyncInterface.ListZones(container: SyncProcess.container))
        try phone.waitForNotes(["n1": "plain"])
        _ = try phone.secretJSON("n1")
        _ = try phone.code()
        #expect(try phone.call(SyncInterface.ResetKeys()).zones == 1)
        try phone.synchronize()
        try await app.wait { $0.reports.contains("deleted zone notes: encryptedDataReset") }
        // The zone is there again with all records, from this machine's copy, and the value that it has is readable.
        try await app.wait { $0.texts == ["n1": "plain"] }
        #expect(try laptop.secret("n1") == Self.secret)
        try await app.write("n2", "after the reset")
        try await app.running().sendChanges()
        try phone.waitForNotes(["n1": "plain", "n2": "after the reset"])
    }

    @Test func `zones of others, the public database and queries have no encrypted fields`() throws {
        var scene = try SyncMachines("laptop")
        let laptop = scene.machines[0]
        let tablet = try scene.add("tablet", of: "bob")
        let container = SyncProcess.container
        try laptop.makeZone()
        try laptop.saveSecret("n1", Self.secret)
        try laptop.synchronize()
        _ = try laptop.call(
            SyncInterface.ModifySharing(container: container, zone: "notes", invite: "bob", permission: "write"))
        _ = try tablet.call(
            SyncInterface.AcceptZone(container: container, owner: "alice", zone: "notes", accept: true))
        try tablet.waitForNotes(["n1": "plain"], owner: "alice")
        let record: JSON = [
            "name": "n2", "type": "Note", "fields": ["secret": ["encrypted": ["string": "x"]]],
        ]
        let request: JSON = ["save": [["record": record]]]
        #expect(
            isUnavailable {
                _ = try tablet.call(
                    SyncInterface.ModifyRecords(
                        container: container, owner: "alice", zone: "notes", request: request))
            })
        let seen = try tablet.call(
            SyncInterface.GetRecords(container: container, owner: "alice", zone: "notes", names: ["n1"]))
        #expect(seen.records.first?["fields"]?["secret"]?["sealed"] != nil)
        // What the participant changes leaves the owner's value as it is.
        let change: JSON = [
            "save": [
                ["record": ["name": "n1", "type": "Note", "fields": ["text": ["string": "by bob"]]]]
            ]
        ]
        _ = try tablet.call(
            SyncInterface.ModifyRecords(container: container, owner: "alice", zone: "notes", request: change))
        try laptop.waitForNotes(["n1": "by bob"])
        #expect(try laptop.secret("n1") == Self.secret)
        #expect(
            isUnavailable {
                _ = try laptop.call(SyncInterface.ModifyPublicRecords(container: container, request: request))
            })
        // The keys' own container is for nobody else.
        let keys = failure { _ = try laptop.call(SyncInterface.ListZones(container: KeyZone.container.name.text)) }
        guard case .notAllowed? = keys else {
            Issue.record("the container of keys is open: \(String(describing: keys))")
            return
        }
        // A machine that does not seal is refused by the hub, and nothing of it is stored.
        let device = try scene.hub.join("console", "alice")
        let body = String(decoding: request.bytes, as: UTF8.self)
        #expect(try device.send("POST", "\(device.notes)/records", body).status == 400)
    }
}
