import JSONText
import TestSupport
import Testing

/// A checked text has the same values as the tree that is parsed from it.
@Suite struct JSONDocumentTests {
    private func document(_ text: String) throws -> JSONValue { try JSONDocument(Array(text.utf8)).root }

    /// The tree of a value, made from its contents.
    private static func tree(_ value: JSONValue) -> JSON? {
        switch value.kind {
        case .null: .null
        case .boolean: value.boolValue.map(JSON.bool)
        case .number: value.integerValue.map(JSON.integer) ?? value.numberValue.map(JSON.number)
        case .string: value.stringValue.map(JSON.string)
        case .array: value.elements.map { .array($0.compactMap(tree)) }
        case .object:
            value.members.map {
                .object($0.compactMap { member in tree(member.value).map { JSON.Member(member.key, $0) } })
            }
        case .word: nil
        }
    }

    @Test func `random texts have the values of the tree`() throws {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<2_000 {
            let text = JSON.random(depth: 4, using: &random).bytes
            let root = try JSONDocument(text).root
            #expect(try Self.tree(root) == JSON.parse(text))
            #expect(Array(root.bytes) == text)
        }
    }

    @Test func `damaged texts are refused for the same reason as by the parser of trees`() {
        var random = SeededGenerator(seed: 6)
        let signs = Array(#"{}[]:,"\/ truefalsnu0123456789-+.eE"#.utf8)
        var (accepted, refused) = (0, 0)
        for _ in 0..<20_000 {
            var text = JSON.random(depth: 2, using: &random).bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) where !text.isEmpty {
                let place = text.indices.randomElement(using: &random) ?? 0
                text[place] = signs.randomElement(using: &random) ?? 0
            }
            let parsed = Result { () throws(JSONError) in try JSON.parse(text, maximumDepth: 3, maximumValues: 60) }
            let checked = Result { () throws(JSONError) in
                try JSONDocument(text, maximumDepth: 3, maximumValues: 60).root
            }
            switch (parsed, checked) {
            case (.success(let tree), .success(let value)):
                accepted += 1
                #expect(Self.tree(value) == tree)
            case (.failure(let left), .failure(let right)):
                refused += 1
                #expect(left == right)
            default: Issue.record("one accepts \(String(decoding: text, as: UTF8.self)), and the other does not")
            }
        }
        #expect(accepted > 500 && refused > 500)
    }

    @Test func `a member is found by its name, also with escapes, and the last of a name counts`() throws {
        let value = try document(#"{"a":1,"\u0062":{"c":[true,null]},"a":2,"é":3}"#)
        #expect(value["a"]?.integerValue == 2)
        #expect(value["b"]?["c"]?.elements?.map(\.kind) == [.boolean, .null])
        #expect(value["é"]?.integerValue == 3)
        #expect(value["e\u{301}"] == nil, "another composition is another name")
        #expect(value["c"] == nil && value["b"]?["c"]?["d"] == nil)
        #expect(value.members?.map(\.key) == ["a", "b", "é"])
        #expect(value.onlyMember == nil)
        #expect(value["b"]?.onlyMember?.name == "c")
        #expect(try document("{}").onlyMember == nil && document("[]").onlyMember == nil)
    }

    @Test func `contents are returned only as their own kind`() throws {
        let values = try #require(try document(#"["x",7,7.5,true,null,[],{}]"#).elements)
        #expect(values.map { $0.stringValue != nil } == [true, false, false, false, false, false, false])
        #expect(values.map { $0.integerValue != nil } == [false, true, false, false, false, false, false])
        #expect(values.map { $0.numberValue != nil } == [false, true, true, false, false, false, false])
        #expect(values.map { $0.boolValue != nil } == [false, false, false, true, false, false, false])
        #expect(values.map(\.isNull) == [false, false, false, false, true, false, false])
        #expect(values.map { $0.elements != nil } == [false, false, false, false, false, true, false])
        #expect(values.map { $0.members != nil } == [false, false, false, false, false, false, true])
        #expect(values.map { $0["a"] == nil } == [true, true, true, true, true, true, true])
    }

    @Test func `a value has its path and its bytes without space`() throws {
        let value = try document(#"  { "a" : [ 1 , { "b\n" : "x" } , [ ] ] , "c" : 2.50 }  "#)
        #expect(value.path == [])
        let list = try #require(value["a"]?.elements)
        #expect(list[1]["b\n"]?.path == ["a", "1", "b\n"])
        #expect(list[2].path == ["a", "2"])
        #expect(value["c"]?.path == ["c"])
        #expect(list.map { String(decoding: $0.bytes, as: UTF8.self) } == ["1", #"{ "b\n" : "x" }"#, "[ ]"])
        #expect((value["c"]?.bytes).map { String(decoding: $0, as: UTF8.self) } == "2.50")
        #expect((list[1]["b\n"]?.bytes).map { String(decoding: $0, as: UTF8.self) } == #""x""#)
    }
}
