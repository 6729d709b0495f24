import Cryptography
import JSONText
import Location
import Platform
import Protection
import Testing

/// Which keys seal and open the rows of whom.
@Suite struct KeyringTests {
    private let machine: SymmetricKey
    private let machineFile: KeyFile
    private let machineKeys: UnlockedKeys
    private let file: KeyFile
    private let keys: UnlockedKeys
    private static let (anna, bert): (UInt32, UInt32) = (1_001, 1_002)

    init() throws {
        machine = try #require(try SymmetricKey(copying: [UInt8](repeating: 5, count: 32)))
        let cost = PassphraseHash.fresh(passes: 1, memory: 8_192)
        (machineFile, machineKeys) = try KeyFile.make(
            for: .passphrase(try Secret("of the machine")), machine: machine, cost: cost)
        (file, keys) = try KeyFile.make(
            for: .passphrase(try Secret("of Anna")), of: Self.anna, machine: machine, cost: cost)
    }

    private func ring(machine state: LockState?, anna own: LockState?, isEnding: Bool = false) throws -> Keyring {
        var ring = Keyring(AvailableKeys(machine: try MachineKey.derived(from: machine)))
        if let state {
            ring.set(AvailableKeys(machine: nil, file: machineFile, keys: machineKeys, state: state), of: nil)
        }
        if let own {
            let file = isEnding ? file.ending() : file
            ring.set(AvailableKeys(machine: nil, file: file, keys: keys, state: own), of: Self.anna)
        }
        return ring
    }

    private func place(_ keyFile: [UInt8], _ protection: ProtectionClass) -> Segment.Place {
        Segment.Place(keyFile: keyFile, protection: protection, number: 1, owner: [1])
    }

    private func opens(_ ring: Keyring, _ keyFile: [UInt8], of user: UInt32) -> Bool {
        if case .key = ring.reading(place(keyFile, .complete), of: user) { return true }
        return false
    }

    @Test func `the rows of a user with keys are sealed with them, and those of others with the machine's`() throws {
        let ring = try ring(machine: .unlocked, anna: .unlocked)
        #expect(ring.writing(.complete, of: Self.anna)?.keyFile == file.id)
        #expect(ring.writing(.complete, of: Self.bert)?.keyFile == machineFile.id)
        #expect(ring.writing(.none, of: Self.anna)?.keyFile == [])
        #expect(ring.leaving(of: Self.anna) == [machineFile.id])
        #expect(ring.leaving(of: Self.bert) == [])
    }

    @Test func `a user's lock closes that user's rows only, and the machine's no row of that user`() throws {
        let locked = try ring(machine: .unlocked, anna: .locked)
        #expect(!opens(locked, file.id, of: Self.anna) && opens(locked, machineFile.id, of: Self.bert))
        #expect(locked.writing(.complete, of: Self.anna) == nil, "it is not sealed with the machine's keys instead")
        #expect(locked.writing(.completeUnlessOpen, of: Self.anna)?.keyFile == file.id)
        let other = try ring(machine: .locked, anna: .unlocked)
        #expect(opens(other, file.id, of: Self.anna) && !opens(other, machineFile.id, of: Self.bert))
    }

    @Test func `the keys of a user open nothing of another user`() throws {
        let ring = try ring(machine: .unlocked, anna: .unlocked)
        #expect(!opens(ring, file.id, of: Self.bert))
    }

    @Test func `keys that are switched off open rows, and seal only what no other key can`() throws {
        let ending = try ring(machine: .unlocked, anna: .unlocked, isEnding: true)
        #expect(opens(ending, file.id, of: Self.anna))
        #expect(ending.writing(.complete, of: Self.anna)?.keyFile == machineFile.id)
        #expect(ending.leaving(of: Self.anna) == [file.id])
        let alone = try ring(machine: nil, anna: .unlocked, isEnding: true)
        #expect(alone.writing(.complete, of: Self.anna)?.keyFile == file.id)
        #expect(alone.leaving(of: Self.anna) == [file.id])
    }

    @Test func `keys without a file remove those of a user`() throws {
        var ring = try ring(machine: .unlocked, anna: .unlocked)
        ring.set(AvailableKeys(machine: nil), of: Self.anna)
        #expect(ring.keys(of: Self.anna) == nil)
        #expect(ring.writing(.complete, of: Self.anna)?.keyFile == machineFile.id)
        #expect(!opens(ring, file.id, of: Self.anna))
    }

    @Test func `a file of keys is refused in the place of another user's, and of the machine's`() throws {
        let text = file.text(machine: machine)
        #expect(try KeyFile(text: text, of: Self.anna, machine: machine) == file)
        for wrong in [nil, Self.bert] {
            #expect(throws: KeyFile.Damage.otherUser(Self.anna)) {
                try KeyFile(text: text, of: wrong, machine: machine)
            }
        }
        #expect(throws: KeyFile.Damage.otherUser(nil)) {
            try KeyFile(text: machineFile.text(machine: machine), of: Self.anna, machine: machine)
        }
    }

    /// A thief who has the machine's secret can write a file whose code is right.
    @Test func `no secret opens the slots of a file that was rewritten for another user`() throws {
        let text = String(decoding: file.text(machine: machine), as: UTF8.self)
        let body = Array(
            text.split(separator: "\n", maxSplits: 1)[1].replacing("\"user\":1001", with: "\"user\":1002").utf8)
        let code = HexText.text(machine.code(for: "waymark key file", of: body))
        let forged = Array("waymark keys 3 \(MachineIdentity.name(of: machine)) \(code)\n".utf8) + body
        let read = try KeyFile(text: forged, of: Self.bert, machine: machine)
        #expect(throws: KeyFile.Failure.wrongSecret) {
            try read.unlock(with: .passphrase(try Secret("of Anna")), machine: machine)
        }
    }

    @Test func `a record of attempts of another user counts as six wrong secrets`() throws {
        let now = UTCTime(microseconds: 1_800_000_000_000_000)
        let text = AttemptRecord().text(of: Self.anna, machine: machine)
        #expect(AttemptRecord(text: text, of: Self.anna, machine: machine, at: now) == AttemptRecord())
        for wrong in [nil, Self.bert] {
            #expect(AttemptRecord(text: text, of: wrong, machine: machine, at: now).limiter.wait(at: now) > 0)
        }
    }
}
