import Cryptography
import Location
import Platform
import TestSupport
import Testing

@testable import Protection

@Suite struct SegmentTests {
    private let payload = Array("a position".utf8)
    private let keyFile = [UInt8](repeating: 7, count: 16)

    private func place(_ protection: ProtectionClass, number: Int64 = 3) -> Segment.Place {
        Segment.Place(keyFile: keyFile, protection: protection, number: number, owner: Array("recording 9".utf8))
    }

    private func sealed(_ rows: RowCipher, number: Int64 = 12) -> [UInt8] {
        var row: [UInt8] = []
        rows.seal(payload.span, number: number, appendingTo: &row)
        return row
    }

    private func begin(_ protection: ProtectionClass, _ key: SymmetricKey) throws -> (segment: Segment, rows: RowCipher)
    {
        let writing: WritingKeys =
            protection == .completeUnlessOpen
            ? .sealing(try #require(SealingKeyPair(privateKey: key)).publicKey) : .symmetric(key)
        return try #require(try Segment.begin(place(protection), with: writing))
    }

    @Test(arguments: ProtectionClass.allCases)
    func `a row is opened with the key of its class, at its place`(_ protection: ProtectionClass) throws {
        let key = try SymmetricKey.random()
        let (segment, rows) = try begin(protection, key)
        let row = sealed(rows)
        #expect(row.count == payload.count + RowCipher.overhead)
        let opened = try #require(try segment.open(with: key))
        #expect(opened.open(row.span, number: 12) == payload)
        #expect(sealed(rows) != row, "a nonce is used once")
        #expect(opened.open(row.span, number: 13) == nil)
        for index in row.indices {
            var changed = row
            changed[index] ^= 1
            #expect(opened.open(changed.span, number: 12) == nil)
        }
        for count in [0, 23, 24, 39, row.count - 1] {
            #expect(opened.open(row.span.extracting(..<count), number: 12) == nil)
        }
        #expect(try segment.open(with: SymmetricKey.random()) == nil)
    }

    @Test(arguments: ProtectionClass.allCases)
    func `a segment that was moved is not opened`(_ protection: ProtectionClass) throws {
        let key = try SymmetricKey.random()
        let (segment, _) = try begin(protection, key)
        var places = [segment.place, segment.place, segment.place]
        places[0].number += 1
        places[1].owner = Array("recording 8".utf8)
        places[2].keyFile = [UInt8](repeating: 8, count: 16)
        for moved in places { #expect(try Segment(moved, wrapped: segment.wrapped).open(with: key) == nil) }
        for index in segment.wrapped.indices {
            var changed = segment.wrapped
            changed[index] ^= 1
            #expect(try Segment(segment.place, wrapped: changed).open(with: key) == nil)
        }
        for other in ProtectionClass.allCases where other != protection {
            var place = segment.place
            place.protection = other
            #expect(try Segment(place, wrapped: segment.wrapped).open(with: key) == nil)
        }
    }

    @Test func `whoever has only the public key writes, and reads nothing`() throws {
        let pair = try #require(SealingKeyPair(privateKey: SymmetricKey.random()))
        let (segment, rows) = try #require(
            try Segment.begin(place(.completeUnlessOpen), with: .sealing(pair.publicKey)))
        let impostor = try #require(try SymmetricKey(copying: pair.publicKey.bytes))
        #expect(try segment.open(with: impostor) == nil)
        #expect(try segment.open(with: pair.privateKey)?.open(sealed(rows).span, number: 12) == payload)
    }

    @Test func `a public key that protects nothing is refused`() throws {
        let zero = try #require(SealingKeyPair.PublicKey([UInt8](repeating: 0, count: 32)))
        #expect(try Segment.begin(place(.completeUnlessOpen), with: .sealing(zero)) == nil)
    }

    @Test func `what a class permits depends on the lock`() {
        let table: [(ProtectionClass, LockState, writes: Bool, reads: Bool)] = [
            (.none, .neverUnlocked, true, true), (.none, .locked, true, true), (.none, .unlocked, true, true),
            (.completeUntilFirstUnlock, .neverUnlocked, false, false), (.completeUntilFirstUnlock, .locked, true, true),
            (.completeUntilFirstUnlock, .unlocked, true, true),
            (.completeUnlessOpen, .neverUnlocked, true, false), (.completeUnlessOpen, .locked, true, false),
            (.completeUnlessOpen, .unlocked, true, true),
            (.complete, .neverUnlocked, false, false), (.complete, .locked, false, false),
            (.complete, .unlocked, true, true),
        ]
        for (protection, state, writes, reads) in table {
            #expect(
                protection.canBeWritten(state) == writes && protection.canBeRead(state) == reads,
                "\(protection) \(state)")
        }
        for protection in ProtectionClass.allCases { #expect(ProtectionClass(word: protection.word) == protection) }
        #expect(ProtectionClass(word: "Complete") == nil)
    }
}
