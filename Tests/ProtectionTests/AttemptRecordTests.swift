import Cryptography
import Location
import Testing

@testable import Protection

@Suite struct AttemptRecordTests {
    private let now = UTCTime(microseconds: 1_800_000_000_000_000)

    private func machine(_ byte: UInt8) throws -> SymmetricKey {
        try #require(try SymmetricKey(copying: [UInt8](repeating: byte, count: 32)))
    }

    private func file(_ id: UInt8 = 1, generation: Int) throws -> KeyFile {
        KeyFile(id: [UInt8](repeating: id, count: KeyFile.idSize), generation: generation, slots: [], classes: [])
    }

    @Test func `earlier files of the same keys, and all files of other keys, are refused`() throws {
        let machine = try machine(1)
        var record = AttemptRecord()
        #expect(record.objection(to: try file(generation: 1)) == nil)
        record.use(try file(generation: 3))
        record = AttemptRecord(text: record.text(machine: machine), machine: machine, at: now)
        for (id, generation, objection) in [
            (1, 2, .outdated), (1, 3, nil), (1, 4, nil), (2, 1, .otherKeys), (2, 3, .otherKeys), (2, 9, .otherKeys),
        ] as [(UInt8, Int, KeyFile.Damage?)] {
            #expect(record.objection(to: try file(id, generation: generation)) == objection, "\(id) \(generation)")
        }
        record.use(try file(generation: 2))
        #expect(record.objection(to: try file(generation: 2)) == .outdated, "what was used stays the newest")
        // New keys after a removal have numbers of their own.
        record.use(try file(2, generation: 1))
        #expect(record.objection(to: try file(2, generation: 1)) == nil)
        #expect(record.objection(to: try file(generation: 3)) == .otherKeys)
    }

    @Test func `a record of an earlier release refuses earlier files only`() throws {
        let machine = try machine(1)
        let body = Array(#"{"failures":0,"generation":5}"#.utf8)
        let text = AuthenticatedText(kind: "attempts", purpose: "waymark attempts", format: 1).text(
            body, machine: machine)
        let record = AttemptRecord(text: text, machine: machine, at: now)
        #expect(record.limiter == AttemptLimiter())
        #expect(record.objection(to: try file(2, generation: 5)) == nil)
        #expect(record.objection(to: try file(2, generation: 4)) == .outdated)
    }

    @Test func `what was stored is read again`() throws {
        let machine = try machine(1)
        var record = AttemptRecord()
        #expect(AttemptRecord(text: record.text(machine: machine), machine: machine, at: now) == record)
        record.use(try file(generation: 7))
        record.limiter.fail(at: now)
        record.limiter.fail(at: now)
        #expect(AttemptRecord(text: record.text(machine: machine), machine: machine, at: now) == record)
    }

    @Test func `a changed record, and one of another machine, gain no attempt`() throws {
        let machine = try machine(1)
        var record = AttemptRecord()
        record.limiter = AttemptLimiter(failures: 9, lastFailure: now)
        let text = record.text(machine: machine)
        var texts = text.indices.map { index in
            var changed = text
            changed[index] ^= 1
            return changed
        }
        texts += [[], Array(text.dropLast()), AttemptRecord().text(machine: try self.machine(2))]
        for text in texts {
            #expect(AttemptRecord(text: text, machine: machine, at: now).limiter.wait(at: now) >= 60)
        }
    }

    @Test(arguments: [nil, 1_000] as [UInt32?], [nil, 1_000, 1_001] as [UInt32?])
    func `a record of somebody else gains no attempt`(owner: UInt32?, reader: UInt32?) throws {
        let machine = try machine(1)
        let text = AttemptRecord().text(of: owner, machine: machine)
        let read = AttemptRecord(text: text, of: reader, machine: machine, at: now)
        #expect((read.limiter.wait(at: now) == 0) == (owner == reader))
    }
}
