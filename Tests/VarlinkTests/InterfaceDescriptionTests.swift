import JSONText
import TestSupport
import Testing
import Varlink

struct InterfaceDescriptionTests {
    static let example = """
        # An interface that uses all there is.
        #
        # Two paragraphs.
        interface org.example-one.fine2

        # lost: a blank line follows

        # Where something is
        type Place (
          latitude: float, # degrees
          longitude: float,
          # above the sea
          altitude: ?float
        )
        type Mode (off, on, maybe_later)

        # Reads
        method Read(ids: []int, options: ?(mode: Mode, deep: ?[]?[string]Place)) -> (
          places: [string]Place,
          raw: object
        )
        method Reset() -> ()
        method Tight(a:bool,b:string)->(c:(x,y,z))
        error NotFound (id: int, why: string)
        error Busy ()
        """

    @Test func `everything the grammar has is read`() throws {
        let interface = try InterfaceDescription(parsing: Self.example)
        #expect(interface.name == "org.example-one.fine2")
        #expect(interface.documentation == "An interface that uses all there is.\n\nTwo paragraphs.")
        #expect(interface.members.count == 7)
        #expect(interface.types["Mode"] == .enumeration(["off", "on", "maybe_later"]))
        #expect(interface.methods["Read"]?.documentation == "Reads")
        #expect(interface.methods["Read"]?.input.map(\.name) == ["ids", "options"])
        #expect(interface.methods["Read"]?.input[1].type.description == "?(mode: Mode, deep: ?[]?[string]Place)")
        #expect(interface.methods["Tight"]?.output.first?.type == .enumeration(["x", "y", "z"]))
        #expect(interface.errors["NotFound"]?.count == 2)
        #expect(interface.errors["Busy"]?.isEmpty == true)
        guard case .type(_, let documentation, _) = interface.members[0] else { throw Missing() }
        #expect(documentation == "Where something is")
    }

    @Test func `the pretty text means the same and stays as it is`() throws {
        let interface = try InterfaceDescription(parsing: Self.example)
        let pretty = try InterfaceDescription(parsing: interface.prettyText)
        #expect(pretty.members == interface.members)
        #expect(pretty.documentation == interface.documentation)
        #expect(pretty.prettyText == interface.prettyText)
        let long =
            "interface a.b\nmethod M(" + (0..<30).map { "parameter\($0): (x: int)" }.joined(separator: ",") + ") -> ()"
        let broken = try InterfaceDescription(parsing: long)
        #expect(broken.prettyText.split(separator: "\n").allSatisfy { $0.count <= 100 })
        #expect(try InterfaceDescription(parsing: broken.prettyText).members == broken.members)
    }

    static let malformed: [(String, Int, Int)] = [
        ("", 1, 1), ("method A() -> ()", 1, 1), ("interface", 1, 10), ("interface one", 1, 11),
        ("interface a.-b", 1, 11),
        ("interface a..b", 1, 11), ("interface a.b.", 1, 11), ("interface 1.b", 1, 11),
        ("interface a.b method A() -> ()", 1, 15), ("interface a.b\nmethod a() -> ()", 2, 8),
        ("interface a.b\nmethod A()", 2, 11), ("interface a.b\nmethod A() -> (", 2, 16),
        ("interface a.b\nmethod A(x) -> ()", 2, 9), ("interface a.b\nmethod A(x: int y: int) -> ()", 2, 17),
        ("interface a.b\nmethod A(x: int, y) -> ()", 2, 19), ("interface a.b\nmethod A(x: int,) -> ()", 2, 17),
        ("interface a.b\ntype A (x, y: int)", 2, 13), ("interface a.b\ntype A (x: ??int)", 2, 13),
        ("interface a.b\ntype A (x: integer)", 2, 12), ("interface a.b\ntype A (x: Missing)", 2, 12),
        ("interface a.b\ntype A (_x: int)", 2, 9), ("interface a.b\ntype A (x__y: int)", 2, 9),
        ("interface a.b\ntype A (x: int, x: int)", 2, 17), ("interface a.b\ntype A (x)\n\n  error A ()", 4, 9),
        ("interface a.b\nerror E (x, y)", 2, 9), ("interface a.b\nconst X", 2, 1), ("interface a.b\n%", 2, 1),
        ("interface a.b\ntype A (x: [int]string)", 2, 12),
        ("interface a.b\ntype A (x: \(String(repeating: "[]", count: 100))int)", 2, 74),
        ("interface a.b\ntype A \(String(repeating: "(x:", count: 100_000))", 2, 56),
    ]

    @Test(arguments: malformed)
    func `a text the grammar forbids is refused with line and column`(text: String, line: Int, column: Int) {
        let error = #expect(throws: InterfaceSyntaxError.self) { try InterfaceDescription(parsing: text) }
        #expect(error?.line == line, "\(error.map(\.description) ?? "")")
        #expect(error?.column == column, "\(error.map(\.description) ?? "")")
    }

    static let parameters: [(String, String?)] = [
        (#"{"ids":[1,2]}"#, nil), (#"{"ids":[],"options":null,"unknown":{"x":1}}"#, nil),
        (#"{"ids":[1.0]}"#, nil), (#"{"ids":[],"options":{"mode":"on"}}"#, nil),
        (#"{"ids":[],"options":{"mode":"on","deep":[null,{"k":{"latitude":1,"longitude":2.5}}]}}"#, nil),
        ("{}", "ids"), (#"{"ids":null}"#, "ids"), (#"{"ids":{}}"#, "ids"), (#"{"ids":[1,"2"]}"#, "ids[1]"),
        (#"{"ids":[1.5]}"#, "ids[0]"), (#"{"ids":[],"options":[]}"#, "options"),
        (#"{"ids":[],"options":{}}"#, "options.mode"), (#"{"ids":[],"options":{"mode":"blue"}}"#, "options.mode"),
        (
            #"{"ids":[],"options":{"mode":"on","deep":[{"k":{"latitude":"1","longitude":2}}]}}"#,
            "options.deep[0][].latitude"
        ),
        ("[]", "parameters"),
    ]

    @Test(arguments: parameters)
    func `parameters are checked against the method`(parameters: String, wrong: String?) throws {
        let interface = try InterfaceDescription(parsing: Self.example)
        let value = try JSON.parse(Array(parameters.utf8))
        let fields = try #require(interface.methods["Read"]?.input)
        if let wrong {
            #expect(throws: InvalidParameter(path: wrong)) { try interface.validate(value, against: fields) }
        } else {
            try interface.validate(value, against: fields)
        }
    }

    @Test func `random changes to a text never do more than fail`() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<2_000 {
            var bytes = Array(Self.example.utf8)
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                if Bool.random(using: &random) {
                    bytes.remove(at: place)
                } else {
                    bytes[place] = .random(in: 9...126, using: &random)
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            guard
                let interface = attempt({ () throws(InterfaceSyntaxError) in try InterfaceDescription(parsing: text) })
            else {
                continue
            }
            #expect(
                attempt { () throws(InterfaceSyntaxError) in try InterfaceDescription(parsing: interface.prettyText) }
                    != nil)
        }
    }

    private struct Missing: Error {}
}
