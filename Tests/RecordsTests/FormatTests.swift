import JSONText
import Location
import Records
import TestSupport
import Testing

@Suite struct FormatTests {
    private static let zone = World.notes

    private static func request(_ text: String, limits: Limits = Limits()) throws(FormatError) -> ModifyRecords {
        try ModifyRecords(zone, json: Array(text.utf8), limits: limits)
    }

    private static func value(_ json: String) throws(FormatError) -> FieldValue? {
        let text = #"{"save":[{"record":{"name":"n","type":"T","fields":{"f":\#(json)}}}]}"#
        return try request(text).saves[0].draft.fields[name("f")]
    }

    static let values: [(String, FieldValue?)] = [
        (#"{"string":"Grüße \"a\""}"#, .string("Grüße \"a\"")),
        (#"{"string":""}"#, .string("")),
        (#"{"bytes":"AAH/"}"#, .bytes([0, 1, 255])),
        (#"{"bytes":"AA=="}"#, .bytes([0])),
        (#"{"integer":-9223372036854775808}"#, .integer(.min)),
        (#"{"integer":9223372036854775807}"#, .integer(.max)),
        (#"{"double":0.1}"#, FiniteDouble(0.1).map { .double($0) }),
        (#"{"double":3.0}"#, FiniteDouble(3).map { .double($0) }),
        (#"{"double":1.7976931348623157e+308}"#, FiniteDouble(.greatestFiniteMagnitude).map { .double($0) }),
        (#"{"date":1780000000000000}"#, .date(UTCTime(microseconds: 1_780_000_000_000_000))),
        (
            #"{"location":{"latitude":-90.0,"longitude":180.0}}"#,
            Coordinate(latitude: -90, longitude: 180).map { .location(StoredPlace($0)) }
        ),
        (
            #"{"location":{"latitude":1.5,"longitude":2.5,"altitude":-3.5,"horizontalAccuracy":4.0,"time":5}}"#,
            Coordinate(latitude: 1.5, longitude: 2.5).map {
                .location(
                    StoredPlace(
                        $0, altitude: FiniteDouble(-3.5), horizontalAccuracy: FiniteDouble(4),
                        time: UTCTime(microseconds: 5)))
            }
        ),
        (#"{"reference":"n1"}"#, .reference(name("n1"))),
        (
            #"{"asset":{"digest":"\#(String(repeating: "0a", count: 32))","size":262144000}}"#,
            Asset(digest: [UInt8](repeating: 10, count: 32), size: 250 << 20).map { .asset($0) }
        ),
        (#"{"list":"string","values":[]}"#, FieldList(.string, []).map { .list($0) }),
        (#"{"list":"integer","values":[1,2]}"#, FieldList(.integer, [.integer(1), .integer(2)]).map { .list($0) }),
        (
            #"{"list":"location","values":[{"latitude":0.0,"longitude":0.0}]}"#,
            Coordinate(latitude: 0, longitude: 0).flatMap {
                FieldList(.location, [.location(StoredPlace($0))]).map { .list($0) }
            }
        ),
    ]

    @Test func `each kind of value is read, and written the same again`() throws {
        for (text, expected) in Self.values {
            let value = try #require(try Self.value(text))
            #expect(value == expected, "\(text)")
            let draft = RecordDraft(name("n"), name("T"), [name("f"): value])
            let json = ModifyRecords(Self.zone, saves: [.init(draft)]).json
            #expect(String(decoding: json, as: UTF8.self).contains(#""f":"# + text + "}"), "\(text)")
        }
    }

    static let refused = [
        #"null"#, #"{}"#, #"1"#, #""x""#, #"[]"#, #"{"string":1}"#, #"{"string":null}"#, #"{"string":"a","integer":1}"#,
        #"{"text":"a"}"#, #"{"integer":1.0}"#, #"{"integer":"1"}"#, #"{"integer":9223372036854775808}"#,
        #"{"double":"1"}"#, #"{"double":1e999}"#, #"{"double":NaN}"#, #"{"date":1.5}"#, #"{"bytes":"A"}"#,
        #"{"bytes":"AB=="}"#, #"{"bytes":"AA"}"#, #"{"bytes":"AA==AA=="}"#, #"{"bytes":"-_8="}"#,
        #"{"location":{"latitude":91,"longitude":0}}"#, #"{"location":{"latitude":0}}"#,
        #"{"location":{"latitude":0,"longitude":0,"horizontalAccuracy":-1}}"#,
        #"{"reference":"_x"}"#, #"{"reference":""}"#, #"{"asset":{"digest":"00","size":1}}"#,
        #"{"asset":{"digest":"\#(String(repeating: "0a", count: 32))","size":262144001}}"#,
        #"{"asset":{"digest":"\#(String(repeating: "0A", count: 32))","size":1}}"#,
        #"{"list":"string","values":[1]}"#, #"{"list":"list","values":[]}"#, #"{"list":"string"}"#,
        #"{"list":"string","values":[],"more":1}"#, #"{"values":[]}"#,
    ]

    @Test(arguments: refused)
    func `what is no value is refused`(json: String) {
        if json == "null" {
            #expect(throws: Never.self) { try Self.value(json) }
        } else {
            #expect(throws: FormatError.self) { try Self.value(json) }
        }
    }

    @Test func `an error names the place and nothing of the content`() {
        let text = #"{"save":[{"record":{"name":"n","type":"T","fields":{"f":{"bytes":"secret!"}}}}]}"#
        #expect(throws: FormatError("save.0.record.fields.f.bytes", .notBase64)) { try Self.request(text) }
        #expect(throws: FormatError("save.0.record.name", .missing)) {
            try Self.request(#"{"save":[{"record":{"type":"T","fields":{}}}]}"#)
        }
    }

    @Test(arguments: [
        "", "{", "[]", "null", #"{"save":{}}"#, #"{"delete":[1]}"#, #"{"delete":[{"name":"_d"}]}"#,
        #"{"save":[{"policy":"always","record":{"name":"n","type":"T","fields":{}}}]}"#,
        #"{"save":[{"record":{"name":"n","type":"1T","fields":{}}}]}"#,
        #"{"save":[{"record":{"name":"n","type":"T","fields":{"a-b":{"integer":1}}}}]}"#,
        #"{"save":[{"record":{"name":"n","type":"T","fields":{},"changeTag":"1"}}]}"#,
        #"{"save":[{"record":{"name":"n","type":"T","fields":{},"changeTag":"01-1"}}]}"#,
        #"{"save":[{"record":{"name":"n","type":"T","fields":{},"changeTag":"+1-1"}}]}"#,
    ])
    func `what is no request is refused`(text: String) {
        #expect(throws: FormatError.self) { try Self.request(text) }
    }

    @Test func `a tag has one text`() {
        for tag in [
            ChangeTag(incarnation: 0, counter: 0), ChangeTag(incarnation: 1, counter: 0xA0),
            ChangeTag(incarnation: .max, counter: .max),
        ] {
            #expect(ChangeTag(tag.text) == tag)
        }
        for text in [
            "", "-", "1", "1-", "-1", "1-2-3", "01-2", "1-00", "1-A", "+1-1", "1 -1", "1--1", "g-1", "1-é",
            "1-10000000000000000", "10000000000000000-1",
        ] {
            #expect(ChangeTag(text) == nil, "\(text)")
        }
    }

    @Test func `nesting without end is refused before it costs anything`() {
        for bomb in [String(repeating: "[", count: 1_000_000), String(repeating: #"{"a":"#, count: 200_000)] {
            #expect(throws: FormatError.self) { try Self.request(bomb) }
        }
        let many = #"{"save":[\#(String(repeating: "0,", count: 1_000_000))0]}"#
        #expect(throws: FormatError.self) { try Self.request(many) }
    }

    @Test func `the largest pages that a hub writes can be read`() throws {
        let stamp = Record.Stamp(UTCTime(microseconds: 1), World.alice, name("phone"))
        let place = try #require(
            Coordinate(latitude: 0, longitude: 0).map { coordinate in
                StoredPlace(
                    coordinate, altitude: FiniteDouble(0), horizontalAccuracy: FiniteDouble(0),
                    time: UTCTime(microseconds: 0))
            })
        func record(_ number: Int, _ fields: [FieldName: FieldValue]) -> Record {
            let tag = ChangeTag(incarnation: 1, counter: 1)
            return Record(
                name("n\(number)"), name("T"), fields, changeTag: tag, created: stamp, modified: stamp)
        }
        // Places have the most JSON values for their size.
        let list = try #require(FieldList(.location, Array(repeating: .location(place), count: 21_000)))
        var page = ZoneChanges()
        page.changed = (0..<2).map { record($0, [name("f"): .list(list)]) }
        #expect(page.changed.allSatisfy { (1_000_000...1 << 20).contains($0.size) })
        #expect(try ZoneChanges(json: page.json).changed.count == 2)
        let fields = Dictionary(
            uniqueKeysWithValues: (0..<150).map { (name("f\($0)") as FieldName, FieldValue.location(place)) })
        page.changed = []
        while page.changed.reduce(0, { $0 + $1.size }) < 2 << 20 {
            page.changed.append(record(page.changed.count, fields))
        }
        #expect(try ZoneChanges(json: page.json).changed.count == page.changed.count)
    }

    @Test func `a request beyond a limit is refused from its text`() throws {
        var limits = Limits()
        limits.records = 2
        limits.requestBytes = 100
        let one = #"{"name":"n"}"#
        #expect(try Self.request(#"{"delete":[\#(one),\#(one)]}"#, limits: limits).deletions.count == 2)
        #expect(throws: FormatError("", .tooLarge(.records))) {
            try Self.request(#"{"delete":[\#(one),\#(one),\#(one)]}"#, limits: limits)
        }
        let space = String(repeating: " ", count: 399)
        #expect(throws: Never.self) { try Self.request(space.dropLast() + "{}", limits: limits) }
        #expect(throws: FormatError("", .tooLarge(.requestBytes))) { try Self.request(space + "{}", limits: limits) }
    }

    @Test func `unknown members are ignored, and null is as if it were missing`() throws {
        let text =
            #"{"save":[{"policy":null,"record":{"name":"n","type":"T","fields":{},"x":1}}],"delete":null,"y":[]}"#
        let expected = ModifyRecords(Self.zone, saves: [.init(RecordDraft(name("n"), name("T"), [:]))])
        #expect(try Self.request(text) == expected)
    }

    @Test func `every answer is read as it was written`() throws {
        let stamp = Record.Stamp(UTCTime(microseconds: -1), World.alice, name("phone"))
        let tag = ChangeTag(incarnation: .max, counter: 0)
        let fields = Dictionary(
            uniqueKeysWithValues: Self.values.enumerated().map { (name("f\($0.offset)") as FieldName, $0.element.1) })
        let record = Record(
            name("n"), name("T"), fields.compactMapValues { $0 }, changeTag: tag, created: stamp, modified: stamp)
        #expect(try Record(json: record.json) == record)
        let outcomes: [RecordOutcome] = [
            .saved(SavedRecord(record)), .deleted, .unknownItem, .notPermitted,
            .conflict(Conflict(serverChangeTag: tag, server: record, ancestor: record)),
            .conflict(Conflict(serverChangeTag: tag, server: nil, ancestor: nil)),
            .batchRequestFailed(culprit: name("c")), .typeDiffers(name("T")),
            .limitExceeded(.recordBytes, most: 1 << 20),
        ]
        var answers: [ModifyRecordsAnswer] = [.outcomes(outcomes), .outcomes([])]
        var refusals: [Refusal] = [.notAuthenticated, .notPermitted, .zoneNotFound(nil), .requestKeyReused]
        refusals += Limits.Subject.allCases.map { .limitExceeded($0, most: 3) }
        refusals += Refusal.Contradiction.allCases.map { .invalidRequest($0) }
        refusals += ZoneDeletionReason.allCases.map { .zoneNotFound($0) }
        refusals += TokenProblem.allCases.map { .changeTokenExpired($0) }
        answers += refusals.map { .refused($0) }
        for answer in answers { #expect(try ModifyRecordsAnswer(json: answer.json) == answer) }
        for refusal in refusals {
            #expect(try Refusal(json: refusal.json()) == refusal)
            #expect(try ModifySharingAnswer(json: refusal.json()) == .refused(refusal))
        }
        for answer in refusals.map({ ModifyZonesAnswer.refused($0) }) + [.outcomes(ZoneOutcome.allCases)] {
            #expect(try ModifyZonesAnswer(json: answer.json) == answer)
        }
    }

    @Test(arguments: [
        #"{}"#, #"{"invite":"bob"}"#, #"{"invite":"bob","permission":"own"}"#, #"{"accept":true,"leave":true}"#,
        #"{"accept":false}"#, #"{"accept":1}"#, #"{"withdraw":""}"#, #"{"withdraw":"b","leave":true}"#, "[]",
    ])
    func `a request about sharing has one action`(text: String) {
        #expect(throws: FormatError.self) { try ModifySharing(Self.zone, json: Array(text.utf8)) }
    }

    @Test(arguments: [
        #"{"save":["_defaultZone"]}"#, #"{"save":[1]}"#, #"{"delete":"a"}"#, #"{"reason":"because"}"#, "null",
    ])
    func `what is no request about zones is refused`(text: String) {
        #expect(throws: FormatError.self) {
            try ModifyZones(World.container, of: World.alice, json: Array(text.utf8))
        }
    }

    @Test func `damaged text is refused or is another request, and never ends the program`() {
        let text = Self.values.enumerated().map { #""f\#($0.offset)":\#($0.element.0)"# }.joined(separator: ",")
        let request = Array(
            #"{"save":[{"record":{"name":"n","type":"T","fields":{\#(text)},"changeTag":"1-2"}}],"delete":[{"name":"m"}]}"#
                .utf8)
        var random = SeededGenerator()
        var accepted = 0
        for _ in 0..<5_000 {
            var damaged = request
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            do throws(FormatError) {
                let read = try ModifyRecords(Self.zone, json: damaged)
                accepted += 1
                let again = try ModifyRecords(Self.zone, json: read.json)
                #expect(again == read)
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
        #expect(accepted > 50 && accepted < 4_950)
    }
}
