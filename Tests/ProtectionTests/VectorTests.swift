import Cryptography
import JSONText
import Location
import Platform
import TestSupport
import Testing

@testable import Protection

/// What a program wrote that shares no code with this package: `make-vectors` in `Tests/Fixtures/protection`.
@Suite struct VectorTests {
    private let vectors: JSON

    init() throws {
        vectors = try JSON.parse(
            BoundedFile.bytes(of: Products.fixture("protection/vectors.json"), limit: 1 << 20), maximumDepth: 8)
    }

    private func bytes(_ json: JSON?) throws -> [UInt8] {
        try #require(json?.stringValue.flatMap { HexText.bytes(of: $0) })
    }

    private func key(_ json: JSON?) throws -> SymmetricKey {
        let bytes = try bytes(json)
        return try #require(try SymmetricKey(copying: bytes))
    }

    private func secret(_ name: String) throws -> Secret { try Secret(#require(vectors[name]?.stringValue)) }

    private func file() throws -> (KeyFile, machine: SymmetricKey) {
        let machine = try key(vectors["machine"])
        return (try KeyFile(text: Array(#require(vectors["file"]?.stringValue).utf8), machine: machine), machine)
    }

    @Test func `each secret unlocks the keys`() throws {
        let (file, machine) = try file()
        #expect(file.generation == 4 && file.slots.map(\.number) == [1, 3, 4])
        let secrets: [UnlockSecret] = [
            .passphrase(try secret("passphrase")), .recovery(try RecoveryKey.key(of: secret("recovery"))),
            .credential(try key(vectors["credential"])),
        ]
        for secret in secrets {
            let keys = try file.unlock(with: secret, machine: machine)
            #expect(keys.root.isEqual(to: try key(vectors["root"])) && keys.damaged.isEmpty)
            for protection in ProtectionClass.locking {
                #expect(keys[protection]?.isEqual(to: try key(vectors["keys"]?[protection.word])) == true)
            }
        }
        // The other program writes the same text.
        #expect(file.text(machine: machine) == Array(try #require(vectors["file"]?.stringValue).utf8))
    }

    @Test func `each secret unlocks the file that was carried to another secret of the machine`() throws {
        let carried = try #require(vectors["carried"])
        let machine = try key(carried["machine"])
        let text = Array(try #require(carried["file"]?.stringValue).utf8)
        let file = try KeyFile(text: text, machine: machine)
        #expect(file.generation == 5 && file.slots.allSatisfy(\.isCarried))
        let secrets: [UnlockSecret] = [
            .passphrase(try secret("passphrase")), .recovery(try RecoveryKey.key(of: secret("recovery"))),
            .credential(try key(vectors["credential"])),
        ]
        for secret in secrets {
            #expect(try file.unlock(with: secret, machine: machine).root.isEqual(to: try key(vectors["root"])))
        }
        #expect(file.text(machine: machine) == text)
    }

    @Test func `each secret unlocks the file of a user`() throws {
        let user = try #require(vectors["user"])
        let machine = try key(vectors["machine"])
        let uid = try #require(user["uid"]?.integerValue.flatMap(UInt32.init(exactly:)))
        let text = Array(try #require(user["file"]?.stringValue).utf8)
        let file = try KeyFile(text: text, of: uid, machine: machine)
        for secret in [
            UnlockSecret.passphrase(try secret("passphrase")), .recovery(try RecoveryKey.key(of: secret("recovery"))),
        ] {
            let keys = try file.unlock(with: secret, machine: machine)
            #expect(keys.root.isEqual(to: try key(vectors["root"])) && keys.damaged.isEmpty)
        }
        #expect(file.text(machine: machine) == text)
    }

    @Test func `each record of attempts is read, and written as the other program writes it`() throws {
        let (file, machine) = try file()
        let last = UTCTime(microseconds: 1_764_000_000_123_456)
        let user = try #require(vectors["user"]?["uid"]?.integerValue.flatMap(UInt32.init(exactly:)))
        let expected: [(user: UInt32?, failures: Int, last: UTCTime?, generation: Int, keyFile: [UInt8]?)] = [
            (nil, 2, last, 4, file.id), (user, 7, last, 2, file.id), (nil, 0, nil, 0, nil), (nil, 1, last, 4, nil),
        ]
        let texts = try #require(vectors["attempts"]?.arrayValue).map { Array(try #require($0.stringValue).utf8) }
        #expect(texts.count == expected.count)
        let now = UTCTime(microseconds: 1_764_000_100_000_000)
        for (text, expected) in zip(texts, expected) {
            let record = AttemptRecord(text: text, of: expected.user, machine: machine, at: now)
            #expect(record.limiter == AttemptLimiter(failures: expected.failures, lastFailure: expected.last))
            #expect(record.generation == expected.generation && record.keyFile == expected.keyFile)
            #expect(record.text(of: expected.user, machine: machine) == text)
            // In the place of somebody else's it counts as six wrong secrets now.
            let moved = AttemptRecord(text: text, of: expected.user == nil ? user : nil, machine: machine, at: now)
            #expect(moved.limiter == AttemptLimiter(failures: AttemptLimiter.free + 1, lastFailure: now))
        }
    }

    @Test func `every row of every class is opened`() throws {
        let (file, machine) = try file()
        let keys = try file.unlock(with: .passphrase(secret("passphrase")), machine: machine)
        let segments = try #require(vectors["segments"]?.arrayValue)
        #expect(segments.count == ProtectionClass.allCases.count)
        for segment in segments {
            let protection = try #require(segment["class"]?.stringValue.flatMap(ProtectionClass.init(word:)))
            let place = Segment.Place(
                keyFile: protection == .none ? [] : file.id, protection: protection,
                number: try #require(segment["number"]?.integerValue), owner: try bytes(segment["owner"]))
            let key = try protection == .none ? MachineKey.derived(from: machine) : #require(keys[protection])
            #expect(key.isEqual(to: try self.key(vectors["keys"]?[protection.word])))
            let rows = try #require(try Segment(place, wrapped: bytes(segment["wrapped"])).open(with: key))
            for row in try #require(segment["rows"]?.arrayValue) {
                let number = try #require(row["number"]?.integerValue)
                let (sealed, payload) = (try bytes(row["sealed"]), try bytes(row["payload"]))
                let opened = rows.open(sealed.span, number: number)
                #expect(opened == payload)
            }
        }
    }
}
