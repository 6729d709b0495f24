import Cryptography
import JSONText
import Location
import Platform
import TestSupport
import Testing

@testable import Protection

@Suite struct KeyFileTests {
    private let machine: SymmetricKey
    private let cost = PassphraseHash.fresh(passes: 1, memory: 8_192)

    init() throws { machine = try SymmetricKey.random() }

    private func passphrase(_ text: String) throws -> UnlockSecret { .passphrase(try Secret(text)) }

    private func makeFile(_ text: String = "correct horse") throws -> (file: KeyFile, keys: UnlockedKeys) {
        try KeyFile.make(for: passphrase(text), machine: machine, cost: cost)
    }

    private func isSame(_ one: UnlockedKeys, _ other: UnlockedKeys) -> Bool {
        one.root.isEqual(to: other.root)
            && ProtectionClass.locking.allSatisfy { protection in
                guard let mine = one[protection], let its = other[protection] else { return false }
                return mine.isEqual(to: its)
            }
    }

    @Test(arguments: [nil, 1_000] as [UInt32?], [nil, 1_000, 1_001] as [UInt32?])
    func `a file of somebody else is refused`(owner: UInt32?, reader: UInt32?) throws {
        let file = try KeyFile.make(for: passphrase("correct horse"), of: owner, machine: machine, cost: cost).file
        let text = file.text(machine: machine)
        guard owner != reader else { return #expect(try KeyFile(text: text, of: reader, machine: machine) == file) }
        #expect(throws: KeyFile.Damage.otherUser(owner)) { try KeyFile(text: text, of: reader, machine: machine) }
    }

    @Test func `the passphrase unlocks the keys that were made, and no other one does`() throws {
        let (file, keys) = try makeFile()
        let read = try KeyFile(text: file.text(machine: machine), machine: machine)
        #expect(read == file && read.generation == 1)
        #expect(isSame(try read.unlock(with: passphrase("correct horse"), machine: machine), keys))
        for wrong in ["correct horsf", "Correct horse", "correct horse ", "x"] {
            #expect(throws: KeyFile.Failure.wrongSecret) { try read.unlock(with: passphrase(wrong), machine: machine) }
        }
        #expect(throws: KeyFile.Failure.self) { try read.unlock(with: passphrase(""), machine: machine) }
        // Of a class that needs only the machine's secret there is no key in the file.
        #expect(keys[.none] == nil && keys.damaged.isEmpty)
    }

    @Test func `without the secret of the machine the passphrase is worth nothing`() throws {
        let (file, _) = try makeFile()
        let other = try SymmetricKey.random()
        #expect(throws: KeyFile.Damage.otherMachine) {
            try KeyFile(text: file.text(machine: machine), machine: other)
        }
        // Even where somebody leaves the check out.
        #expect(throws: KeyFile.Failure.wrongSecret) {
            try file.unlock(with: passphrase("correct horse"), machine: other)
        }
    }

    @Test func `a changed passphrase wraps anew, and the keys stay the same`() throws {
        let (file, keys) = try makeFile()
        let changed = try file.replacing(1, by: passphrase("staple"), keys, machine: machine, cost: cost)
        #expect(changed.generation == 2 && changed.slots.map(\.number) == [2] && changed.id == file.id)
        #expect(isSame(try changed.unlock(with: passphrase("staple"), machine: machine), keys))
        #expect(throws: KeyFile.Failure.wrongSecret) {
            try changed.unlock(with: passphrase("correct horse"), machine: machine)
        }
    }

    @Test func `a recovery key and a credential unlock beside the passphrase until they are removed`() throws {
        let (file, keys) = try makeFile()
        let (paper, service) = (try SymmetricKey.random(), try SymmetricKey.random())
        var grown = try file.adding(.recovery(paper), keys, machine: machine)
        grown = try grown.adding(.credential(service), keys, machine: machine)
        grown = try KeyFile(text: grown.text(machine: machine), machine: machine)
        #expect(grown.slots.map(\.number) == [1, 2, 3] && grown.generation == 3)
        #expect(isSame(try grown.unlock(with: .recovery(paper), machine: machine), keys))
        #expect(isSame(try grown.unlock(with: .credential(service), machine: machine), keys))
        // A credential is no recovery key, even with the same bytes.
        #expect(throws: KeyFile.Failure.wrongSecret) { try grown.unlock(with: .recovery(service), machine: machine) }
        let smaller = try grown.removing(2)
        #expect(throws: KeyFile.Failure.wrongSecret) { try smaller.unlock(with: .recovery(paper), machine: machine) }
        #expect(throws: KeyFile.Failure.noSuchSlot(2)) { try smaller.removing(2) }
        #expect(throws: KeyFile.Failure.lastSlot) { try smaller.removing(1).removing(3) }
        for _ in 3..<KeyFile.maximumSlots { grown = try grown.adding(.recovery(paper), keys, machine: machine) }
        #expect(throws: KeyFile.Failure.tooManySlots) { try grown.adding(.recovery(paper), keys, machine: machine) }
        #expect(grown.text(machine: machine).count < KeyFile.limit)
    }

    @Test func `every changed byte of the file is detected, and so is every shorter file`() throws {
        let text = try makeFile().file.text(machine: machine)
        for index in text.indices {
            var changed = text
            changed[index] ^= 1
            #expect(throws: KeyFile.Damage.self, "byte \(index)") { try KeyFile(text: changed, machine: machine) }
        }
        for count in [0, 1, 20, text.count - 1] {
            #expect(throws: KeyFile.Damage.self) { try KeyFile(text: Array(text[..<count]), machine: machine) }
        }
        let later = Array("waymark keys 4 ".utf8) + text.dropFirst(15)
        #expect(throws: KeyFile.Damage.laterFormat(4)) { try KeyFile(text: later, machine: machine) }
        #expect(throws: KeyFile.Damage.notAKeyFile) { try KeyFile(text: Array("x\n{}".utf8), machine: machine) }
    }

    @Test func `every secret unlocks a file that was carried to another secret of the machine, and settles its slot`()
        throws
    {
        var (file, keys) = try makeFile()
        let (paper, service) = (try SymmetricKey.random(), try SymmetricKey.random())
        file = try file.adding(.recovery(paper), keys, machine: machine)
        file = try file.adding(.credential(service), keys, machine: machine)
        var (present, secrets) = (machine, [try passphrase("correct horse"), .recovery(paper), .credential(service)])
        // Also where it is exchanged once more before a secret was used.
        for _ in 1...2 {
            let next = try SymmetricKey.random()
            let carried = try #require(try file.carried(from: present, to: next))
            #expect(carried.generation == file.generation + 1 && carried.slots.allSatisfy(\.isCarried))
            let text = carried.text(machine: next)
            #expect(text.starts(with: Array("waymark keys 2 ".utf8)) && text.count < KeyFile.limit)
            let read = try KeyFile(text: text, machine: next)
            #expect(read == carried)
            for secret in secrets { #expect(isSame(try read.unlock(with: secret, machine: next), keys)) }
            #expect(throws: KeyFile.Failure.wrongSecret) {
                try read.unlock(with: passphrase("correct horsf"), machine: next)
            }
            // The former secret, and another one, open neither the file nor its slots.
            for wrong in [present, try SymmetricKey.random()] {
                #expect(throws: KeyFile.Damage.otherMachine) { try KeyFile(text: text, machine: wrong) }
                for secret in secrets {
                    #expect(throws: KeyFile.Failure.wrongSecret) { try read.unlock(with: secret, machine: wrong) }
                }
                #expect(try read.carried(from: wrong, to: machine) == nil)
            }
            // No wrapped key of the former file is in the new one.
            for slot in file.slots {
                #expect(!String(decoding: text, as: UTF8.self).contains(HexText.text(slot.wrapped)))
            }
            (file, present) = (read, next)
        }
        for (number, secret) in zip(1..., secrets) {
            let opened = try file.open(with: secret, machine: present)
            #expect(opened.slot.number == number && opened.slot.isCarried)
            file = try file.settling(number, with: secret, opened.keys, machine: present)
        }
        secrets.reverse()
        let text = file.text(machine: present)
        #expect(text.starts(with: Array("waymark keys 1 ".utf8)) && !file.slots.contains(where: \.isCarried))
        for secret in secrets { #expect(isSame(try file.unlock(with: secret, machine: present), keys)) }
    }

    @Test func `a carried slot that was changed, or moved to another number, is not opened`() throws {
        let (file, keys) = try makeFile()
        let next = try SymmetricKey.random()
        let grown = try file.adding(passphrase("staple"), keys, machine: machine, cost: cost)
        let carried = try #require(try grown.carried(from: machine, to: next))
        for index in stride(from: 0, to: Keyslot.carriedSize, by: 7) {
            var wrapped = carried.slots[0].wrapped
            wrapped[index] ^= 1
            let slot = Keyslot(number: 1, kind: carried.slots[0].kind, wrapped: wrapped, isCarried: true)
            let changed = KeyFile(id: file.id, generation: 3, slots: [slot], classes: file.classes)
            #expect(throws: KeyFile.Failure.wrongSecret) {
                try changed.unlock(with: passphrase("correct horse"), machine: next)
            }
        }
        let moved = Keyslot(
            number: 2, kind: carried.slots[0].kind, wrapped: carried.slots[0].wrapped, isCarried: true)
        let swapped = KeyFile(id: file.id, generation: 3, slots: [moved], classes: file.classes)
        #expect(throws: KeyFile.Failure.wrongSecret) {
            try swapped.unlock(with: passphrase("correct horse"), machine: next)
        }
    }

    @Test func `a class key that was exchanged for another class's is not opened`() throws {
        let (file, _) = try makeFile()
        let keys = file.classes
        let swapped = KeyFile(
            id: file.id, generation: 1, slots: file.slots,
            classes: [
                ClassKey(protection: keys[0].protection, publicKey: nil, wrapped: keys[2].wrapped), keys[1],
                ClassKey(protection: keys[2].protection, publicKey: nil, wrapped: keys[0].wrapped),
            ])
        let unlocked = try swapped.unlock(with: passphrase("correct horse"), machine: machine)
        #expect(unlocked.damaged == [.completeUntilFirstUnlock, .complete])
        #expect(unlocked[.completeUnlessOpen] != nil)
    }

    @Test func `nothing that is printed contains a secret`() throws {
        let (file, keys) = try makeFile("battery")
        let texts = ["\(keys)", String(reflecting: keys), "\(machine)", "\(try passphrase("battery"))"]
        for text in texts {
            #expect(!text.contains("battery"))
            #expect(!keys.root.withCopy { bytes in text.contains(HexText.text(bytes)) || text.contains("\(bytes)") })
        }
        _ = file
    }
}
