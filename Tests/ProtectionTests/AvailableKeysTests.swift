import Cryptography
import Location
import Platform
import Testing

@testable import Protection

@Suite struct AvailableKeysTests {
    private let machine: SymmetricKey
    private let file: KeyFile
    private let keys: UnlockedKeys

    init() throws {
        machine = try #require(try SymmetricKey(copying: [UInt8](repeating: 3, count: 32)))
        (file, keys) = try KeyFile.make(
            for: .passphrase(try Secret("a passphrase")), machine: machine, cost: .fresh(passes: 1, memory: 8_192))
    }

    private func available(_ state: LockState) throws -> AvailableKeys {
        AvailableKeys(
            machine: try MachineKey.derived(from: machine), file: file, keys: state == .neverUnlocked ? nil : keys,
            state: state)
    }

    private func isKey(_ key: ReadingKey) -> Bool { if case .key = key { true } else { false } }

    @Test(arguments: [LockState.neverUnlocked, .locked, .unlocked], ProtectionClass.allCases)
    func `the keys are those that the state permits`(state: LockState, protection: ProtectionClass) throws {
        for keys in [try available(state)] + (state == .locked ? [try available(.unlocked).locked()] : []) {
            #expect((keys.writing(protection) != nil) == protection.canBeWritten(state))
            let place = Segment.Place(
                keyFile: keys.keyFile(of: protection), protection: protection, number: 1, owner: [])
            #expect(isKey(keys.reading(place)) == protection.canBeRead(state))
        }
    }

    @Test(arguments: ProtectionClass.locking)
    func `a segment of another file of keys is never opened`(protection: ProtectionClass) throws {
        let place = Segment.Place(
            keyFile: [UInt8](repeating: 0, count: 16), protection: protection, number: 1, owner: [])
        guard case .otherKeyFile = try available(.unlocked).reading(place) else {
            Issue.record("a key of another file was found")
            return
        }
    }

    @Test func `without the machine's secret the class none is neither written nor read`() throws {
        let keys = AvailableKeys(machine: nil)
        for protection in ProtectionClass.allCases { #expect(keys.writing(protection) == nil) }
        let place = Segment.Place(keyFile: [], protection: .none, number: 1, owner: [])
        guard case .noMachineSecret = keys.reading(place) else {
            Issue.record("a key was found without a secret")
            return
        }
    }
}
