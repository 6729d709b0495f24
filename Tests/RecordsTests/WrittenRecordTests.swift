import JSONText
import Location
import TestSupport
import Testing

@testable import Records

/// Records and pages that are checked without being read.
@Suite struct WrittenRecordTests {
    private static let stamp = Record.Stamp(UTCTime(microseconds: -7), World.alice, name("phone"))

    private static func record(_ fields: [FieldName: FieldValue], _ number: UInt64 = 1) -> Record {
        Record(
            name("n\(number)"), name("T"), fields, changeTag: ChangeTag(incarnation: 1, counter: number),
            created: stamp,
            modified: stamp)
    }

    /// Values of all kinds, also in lists and sealed.
    private static let values: [FieldValue] = FormatTests.values.compactMap(\.1).flatMap { value -> [FieldValue] in
        guard let kind = value.kind else { return [value] }
        let list = FieldList(kind, [value, value]).map(FieldValue.list)
        let sealed = [false, true].compactMap { SealedField(kind, isList: $0, [1, 2, 3]).map(FieldValue.sealed) }
        return [value] + [list].compactMap { $0 } + sealed
    }

    @Test func `a record of every kind of value is checked without being read`() throws {
        for (number, value) in Self.values.enumerated() {
            let record = Self.record([name("a"): .string("x"), name("b"): value], UInt64(number))
            let written = try WrittenRecord(json: record.json)
            #expect(written.read == nil, "\(record)")
            #expect(written.name == record.name && written.size == record.size, "\(record)")
            #expect(written.hasAssets == !record.assets.isEmpty, "\(record)")
            #expect(try written.record() == record)
            #expect(Array(written.text) == record.json)
        }
    }

    @Test func `a record in another form is read, and written anew`() throws {
        let record = Self.record([name("a"): .integer(1), name("b"): .string("x")])
        let text = String(decoding: record.json, as: UTF8.self)
        let forms = [
            " " + text, text.replacing(":", with: ": "), text.replacing("\"n1\"", with: #""\u006e1""#),
            text.replacing(#""a":{"integer":1},"b":{"string":"x"}"#, with: #""b":{"string":"x"},"a":{"integer":1}"#),
            text.replacing(#""a":{"#, with: #""a":{"integer":2},"a":{"#),
            text.replacing(#"{"name""#, with: #"{"other":[],"name""#),
        ]
        for form in forms {
            #expect(form != text)
            let written = try WrittenRecord(json: Array(form.utf8))
            #expect(written.read == record, "\(form)")
            #expect(Array(written.text) == record.json && written.size == record.size, "\(form)")
        }
    }

    @Test(
        arguments: FormatTests.refused.filter { $0 != "null" } + [
            #"{"sealed":"reference","bytes":"AAH/"}"#, #"{"sealed":"asset","list":true,"bytes":"AAH/"}"#,
            #"{"sealed":"string","list":false,"bytes":"AAH/"}"#, #"{"list":"double","values":[1,1e999]}"#,
        ])
    func `a record with what is no value is refused`(value: String) throws {
        let text = String(decoding: Self.record([name("f"): .integer(1)]).json, as: UTF8.self)
        let changed = text.replacing(#"{"integer":1}"#, with: value)
        #expect(changed != text)
        #expect(throws: FormatError.self) { try WrittenRecord(json: Array(changed.utf8)) }
    }

    private static func page(using random: inout SeededGenerator) -> ZoneChanges {
        var page = ZoneChanges()
        for number in 0..<UInt64.random(in: 0..<4, using: &random) {
            let fields = (0..<Int.random(in: 0..<4, using: &random)).map { index in
                (name("f\(index)") as FieldName, values.randomElement(using: &random) ?? .integer(1))
            }
            page.changed.append(record(Dictionary(uniqueKeysWithValues: fields), number))
        }
        for number in 0..<Int.random(in: 0..<3, using: &random) {
            page.deleted.append(ZoneChanges.Deletion(name("d\(number)"), name("T")))
        }
        (page.token, page.moreComing) = ([1, 2], .random(using: &random))
        return page
    }

    @Test func `a page is the same whether or not its records are read`() throws {
        var random = SeededGenerator(seed: 23)
        for _ in 0..<300 {
            let page = Self.page(using: &random)
            let scanned = try #require(WrittenZoneChanges(scanning: page.json))
            #expect(try scanned.page() == page)
            #expect(scanned.json == page.json)
            #expect(try WrittenZoneChanges(reading: page.json).page() == page)
        }
    }

    @Test func `no page is accepted that would be refused if its records were read`() throws {
        var random = SeededGenerator(seed: 24)
        let pieces = [
            "\"", "{", "}", "[", "]", ",", ":", "\\", "\\n", "0", "-", "1e9", ".", "=", "_", " ", "\u{1}", "é", "true",
            "a", "7",
        ]
        .map { Array($0.utf8) }
        var accepted = 0
        for _ in 0..<15_000 {
            var text = Self.page(using: &random).json
            for _ in 0..<Int.random(in: 1..<3, using: &random) {
                let place = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: text[place] = .random(in: 0...255, using: &random)
                case 1: text.remove(at: place)
                case 2: text.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
                default: text.swapAt(place, .random(in: 0..<text.count, using: &random))
                }
            }
            guard let scanned = WrittenZoneChanges(scanning: text) else { continue }
            accepted += 1
            let shown = String(decoding: text, as: UTF8.self)
            let read = try WrittenZoneChanges(reading: text)
            #expect(try scanned.page() == read.page(), "\(shown)")
            #expect(scanned.changed.map(\.text) == read.changed.map(\.text), "\(shown)")
            #expect(scanned.changed.map(\.size) == read.changed.map(\.size), "\(shown)")
            #expect(scanned.changed.map(\.hasAssets) == read.changed.map(\.hasAssets), "\(shown)")
        }
        #expect(accepted > 500)
    }

    @Test func `what is checked in place is what is checked in a text of its own`() throws {
        var random = SeededGenerator(seed: 25)
        let signs = Array("AZaz09+/=f1-_.".utf8)
        for _ in 0..<50_000 {
            let count = Int.random(in: 0..<9, using: &random)
            let bytes = (0..<count).compactMap { _ in signs.randomElement(using: &random) }
            let text = String(decoding: bytes, as: UTF8.self)
            let span = bytes.span
            let decoded = Base64.bytes(bytes).flatMap { Base64.text($0) == text ? $0.count : nil }
            #expect(Base64.count(in: span, 0..<count) == decoded, "\(text)")
            #expect(RecordName.isName(span, 0..<count) == (RecordName(text) != nil), "\(text)")
            #expect(FieldName.isName(span, 0..<count) == (FieldName(text) != nil), "\(text)")
            #expect(AccountID.isName(span, 0..<count) == (AccountID(text) != nil), "\(text)")
            #expect(ChangeTag.isTag(span, 0..<count) == (ChangeTag(text) != nil), "\(text)")
            #expect(HexText.isText(span, 0..<count, ofBytes: 2) == (HexText.bytes(of: text)?.count == 2), "\(text)")
        }
    }
}
