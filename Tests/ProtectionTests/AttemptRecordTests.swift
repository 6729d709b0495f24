import Cryptography
import Location
import Testing

@testable import Protection

@Suite struct AttemptRecordTests {
    private let now = UTCTime(microseconds: 1_800_000_000_000_000)

    private func machine(_ byte: UInt8) throws -> SymmetricKey {
        try #require(try SymmetricKey(copying: [UInt8](repeating: byte, count: 32)))
    }

    @Test func `what was stored is read again`() throws {
        let machine = try machine(1)
        var record = AttemptRecord()
        #expect(AttemptRecord(text: record.text(machine: machine), machine: machine, at: now) == record)
        record.generation = 7
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
