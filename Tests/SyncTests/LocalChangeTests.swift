import Location
import Records
import TestSupport
import Testing

@testable import Sync

@Suite struct LocalChangeTests {
    private static let name = named("n") as RecordName
    private static let type = named("Note") as RecordType

    private static func base(_ fields: [FieldName: FieldValue]) -> Record {
        let stamp = Record.Stamp(UTCTime(microseconds: 1), named("alice"), named("phone"))
        return Record(
            name, type, fields, changeTag: ChangeTag(incarnation: 1, counter: 7), created: stamp, modified: stamp)
    }

    private static func change(_ random: inout SeededGenerator, tag: ChangeTag?) -> LocalChange {
        guard Int.random(in: 0..<4, using: &random) > 0 else {
            return .delete(ModifyRecords.Deletion(name, changeTag: tag))
        }
        var draft = RecordDraft(name, type, [:], changeTag: tag)
        for field in ["a", "b", "c"] {
            switch Int.random(in: 0..<3, using: &random) {
            case 0: draft.fields[named(field)] = .integer(Int64.random(in: 0..<1_000, using: &random))
            case 1: draft.removed.insert(named(field))
            default: break
            }
        }
        return .save(ModifyRecords.Save(draft, SavePolicy.allCases.randomElement(using: &random) ?? .allKeys))
    }

    @Test func `two changes as one have the effect of both, one after the other`() {
        var random = SeededGenerator()
        for _ in 0..<5_000 {
            let fields: [FieldName: FieldValue] = [named("a"): .integer(1), named("b"): .integer(2)]
            let base = Bool.random(using: &random) ? Self.base(fields) : nil
            let first = Self.change(&random, tag: base?.changeTag)
            // A program whose copy has no record makes one, without a tag.
            let second = Self.change(&random, tag: nil)
            let both = LocalRecord.after([first, second], of: base)
            let joined = LocalRecord.after([first.followed(by: second, base: base)], of: base)
            let isSame = both?.type == joined?.type && both?.fields == joined?.fields
            #expect(isSame && (both == nil) == (joined == nil), "\(String(describing: base)) \(first) \(second)")
        }
    }

    @Test func `changes that are joined stay as strict as the earlier one`() {
        let strict = LocalChange.save(ModifyRecords.Save(RecordDraft(Self.name, Self.type, [named("a"): .integer(1)])))
        let lax = LocalChange.save(
            ModifyRecords.Save(RecordDraft(Self.name, Self.type, [named("b"): .integer(2)]), .changedKeys))
        guard case .save(let joined) = strict.followed(by: lax, base: nil) else {
            Issue.record("a save became a deletion")
            return
        }
        #expect(joined.policy == .ifServerRecordUnchanged)
        #expect(joined.draft.fields == [named("a"): .integer(1), named("b"): .integer(2)])
    }
}
