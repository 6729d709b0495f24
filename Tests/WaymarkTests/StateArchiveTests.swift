import Testing
import Waymark

/// Objects and values of a saved state, without files.
struct StateArchiveTests {
    private enum Tab: String, StateValue {
        case shelf, search
    }

    private func restored<Value: StateValue>(_ value: Value) throws -> Value? {
        let scene = try StateScene()
        let key = StateKey<Value>("value")
        try scene.store().save { $0.encode(value, for: key) }
        var result: Value?
        #expect(try scene.store().restore { result = $0.decode(key) }.isRestored)
        return result
    }

    @Test func `each type of value is restored as it was`() throws {
        #expect(try restored(true) == true)
        #expect(try restored([Int.min, -1, 0, Int.max]) == [Int.min, -1, 0, Int.max])
        #expect(
            try restored([0.1, -0.0, 5, 1e300, .infinity, -.infinity]) == [0.1, -0.0, 5, 1e300, .infinity, -.infinity])
        #expect(try restored(-0.0)?.sign == .minus)
        #expect(try restored(Double.nan)?.isNaN == true)
        #expect(try restored("") == "" && restored("\0\"\\\n\u{1F30D}é") == "\0\"\\\n\u{1F30D}é")
        #expect(try restored([UInt8]()) == [] && restored(Array(UInt8.min...UInt8.max)) == Array(0...255))
        #expect(try restored([["a"], [], ["b", "c"]]) == [["a"], [], ["b", "c"]])
        #expect(try restored([[1, 2] as [UInt8], []]) == [[1, 2], []])
        #expect(try restored(Int?.some(7)) == Int??.some(.some(7)))
        #expect(try restored(Int?.none) == Int??.some(.none))
        #expect(try restored(Int??.some(.none)) == Int???.some(.some(.none)))
        #expect(try restored([1, nil, 3]) == [1, nil, 3])
        #expect(try restored([Tab.search, .shelf]) == [.search, .shelf])
    }

    @Test func `a value of another type, or of a key that was not saved, is nil`() throws {
        let state = try StateArchive { state in
            state.encode(5, for: .number)
            state.encode("gone", for: StateKey<String>("tab"))
        }.root
        #expect(state.keys == ["number", "tab"])
        #expect(state.decode(.number) == 5 && state.decode(.title) == nil)
        #expect(state.decode(StateKey<String>("number")) == nil && state.decode(StateKey<Double>("number")) == nil)
        #expect(state.decode(StateKey<[UInt8]>("number")) == nil && state.decode(StateKey<Bool>("number")) == nil)
        #expect(state.decode(StateKey<Int?>("number")) == nil && state.decode(StateKey<Tab>("tab")) == nil)
    }

    @Test func `objects are found by the identifiers on their path, in the order in which they were encoded`() throws {
        let archive = try StateArchive { app in
            for window in ["second", "first"] {
                app.child(RestorationIdentifier(window)) { state in
                    state.encode(window, for: .title)
                    state.child("list") { $0.encode(window.count, for: .number) }
                }
            }
        }
        #expect(archive.root.children == ["second", "first"])
        #expect(archive.root.child("first")?.child("list")?.decode(.number) == 5)
        #expect(archive.root.descendant(["second", "list"])?.decode(.number) == 6)
        #expect(archive.root.descendant([])?.children.count == 2)
        #expect(archive.root.child("third") == nil && archive.root.descendant(["list"]) == nil)
        #expect(archive.paths.map(\.description) == ["", "second", "second/list", "first", "first/list"])
    }

    @Test func `a child without an identifier is not saved, and nothing below it`() throws {
        var encoded = 0
        let archive = try StateArchive { app in
            app.child(nil) { state in
                encoded += 1
                state.child("list") { _ in encoded += 1 }
            }
            app.child("window") { $0.child(nil) { _ in encoded += 1 } }
        }
        #expect(encoded == 0 && archive.paths == [[], ["window"]])
    }

    @Test func `two children of the same identifier, long paths and deep lists are errors`() {
        #expect(throws: StateArchiveError.duplicateIdentifier(["window"])) {
            try StateArchive { app in
                app.child("window") { _ in }
                app.child("window") { _ in }
            }
        }
        func nest(_ state: inout StateEncoder, _ depth: Int) {
            if depth > 0 { state.child("a") { nest(&$0, depth - 1) } }
        }
        let most = RestorationPath.maximumLength
        #expect(throws: Never.self) { try StateArchive { nest(&$0, most) } }
        let tooLong = RestorationPath(Array(repeating: "a", count: most + 1))
        #expect(throws: StateArchiveError.pathTooLong(tooLong)) { try StateArchive { nest(&$0, most + 1) } }
        #expect(throws: StateArchiveError.valueTooDeep([], key: "v")) {
            try StateArchive { $0.encode(Nested(depth: StoredValue.maximumDepth + 1), for: StateKey<Nested>("v")) }
        }
    }

    /// Lists within each other.
    private struct Nested: StateValue, Equatable {
        let depth: Int
        init(depth: Int) { self.depth = depth }
        var stored: StoredValue { .list(depth == 0 ? [] : [Nested(depth: depth - 1).stored]) }
        init?(stored: StoredValue) {
            var (value, depth) = (stored, 0)
            while case .list(let values) = value, let first = values.first { (value, depth) = (first, depth + 1) }
            self.depth = depth
        }
    }

    @Test func `the deepest path and the deepest list are restored`() throws {
        let depth = StoredValue.maximumDepth - 1
        #expect(try restored(Nested(depth: depth)) == Nested(depth: depth))
        let scene = try StateScene()
        func nest(_ state: inout StateEncoder, _ depth: Int) {
            state.encode(depth, for: .number)
            if depth > 0 { state.child("a") { nest(&$0, depth - 1) } }
        }
        try scene.store().save { nest(&$0, RestorationPath.maximumLength) }
        let deepest = RestorationPath(Array(repeating: "a", count: RestorationPath.maximumLength))
        var number: Int?
        #expect(try scene.store().restore { number = $0.descendant(deepest)?.decode(.number) }.isRestored)
        #expect(number == 0)
    }
}
