import Cryptography
import Location
import Platform
import Testing

@testable import Protection

/// A text that is sealed alone.
@Suite struct SealedValueTests {
    private let file: KeyFile
    private let keys: UnlockedKeys
    private let text = #"{"ended":[]}"#

    init() throws {
        let machine = try #require(try SymmetricKey(copying: [UInt8](repeating: 3, count: 32)))
        (file, keys) = try KeyFile.make(
            for: .passphrase(try Secret("a passphrase")), machine: machine, cost: .fresh(passes: 1, memory: 8_192))
    }

    private func available(_ state: LockState) -> AvailableKeys {
        AvailableKeys(machine: nil, file: file, keys: state == .neverUnlocked ? nil : keys, state: state)
    }

    private func seal(_ protection: ProtectionClass = .completeUntilFirstUnlock) throws -> SealedValue {
        try #require(try SealedValue(text, name: "visits 7 trailmap", protection, with: available(.unlocked)))
    }

    @Test(arguments: ProtectionClass.locking)
    func `a value is opened as it was stored, in the states of its class`(protection: ProtectionClass) throws {
        let stored = try seal(protection).stored
        #expect(SealedValue.isSealed(stored) && !stored.contains("ended"))
        let value = try #require(SealedValue(stored: stored, name: "visits 7 trailmap"))
        for state in [LockState.neverUnlocked, .locked, .unlocked] {
            let content = try value.open(with: available(state))
            if protection.canBeRead(state) {
                #expect(content == .text(text))
            } else {
                guard case .locked(let words) = content, words.contains("unlock") else {
                    Issue.record("\(content) while \(state)")
                    continue
                }
            }
        }
        #expect(try seal(protection).stored != stored, "keys and nonces are used once")
    }

    @Test func `a value of another name, class or file is not opened, nor a changed one`() throws {
        let stored = try seal().stored
        let keys = available(.unlocked)
        #expect(try SealedValue(stored: stored, name: "visits 7 umap")?.open(with: keys) == .damaged)
        let otherClass = stored.replacing("sealed 1 1 ", with: "sealed 1 2 ")
        #expect(otherClass != stored)
        #expect(try SealedValue(stored: otherClass, name: "visits 7 trailmap")?.open(with: keys) == .damaged)
        var digits = Array(stored.utf8)
        for index in digits.indices.dropFirst("sealed 1 1 ".utf8.count) where digits[index] != UInt8(ascii: " ") {
            let digit = digits[index]
            digits[index] = digit == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            let changed = SealedValue(stored: String(decoding: digits, as: UTF8.self), name: "visits 7 trailmap")
            #expect(try changed?.open(with: keys) != .text(text), "\(index)")
            digits[index] = digit
        }
    }

    @Test(arguments: [
        "", "sealed ", "sealed 1 ", "sealed 1 1 aa", "sealed 1 9 aa bb cc", "sealed 1 1 a bb cc",
        "sealed 1 1 aa bb cc dd", "sealed 2 1 aa bb cc", "sealed 1 1 AA bb cc", "sealed 1 -1 aa bb cc",
    ])
    func `a text that is no value gives none`(stored: String) {
        #expect(SealedValue(stored: stored, name: "visits 7 trailmap") == nil)
    }

    @Test func `what cannot be written is not sealed`() throws {
        let locked = available(.neverUnlocked)
        #expect(try SealedValue(text, name: "a", .completeUntilFirstUnlock, with: locked) == nil)
        #expect(try SealedValue(text, name: "a", .none, with: available(.unlocked)) == nil)
    }
}
