import InterfaceGenerator
import Interfaces
import JSONText
import TestSupport
import Testing
import Varlink

/// Generation of Swift types from the interfaces' texts.
@Suite struct GeneratedTypesTests {
    private func file(_ name: String) throws -> String {
        try GeneratedText("Sources/Interfaces/Generated/\(name)").text
    }

    @Test(arguments: WaymarkInterface.allCases) func `the generated files match the text`(
        interface: WaymarkInterface
    ) throws {
        let generator = try InterfaceGenerator(interface.text)
        #expect(try file("\(generator.typeName).swift") == (try generator.text()), "run `make interfaces`")
    }

    @Test func `the error names match the texts`() throws {
        let texts = WaymarkInterface.allCases.sorted { $0.rawValue < $1.rawValue }.map(\.text)
        #expect(try file("ErrorName.swift") == (try InterfaceGenerator.errorNames(of: texts)), "run `make interfaces`")
    }

    @Test func `an error reads back as it was written, and none of another interface does`() throws {
        let failure = ManageInterface.Failure.userNeeded(app: "map", uids: [7, 8], message: "Say which.")
        var writer = JSONWriter()
        writer.object { failure.writeMembers(to: &$0) }
        let parameters = try JSON.parse(writer.bytes)
        #expect(parameters == ["app": "map", "uids": [7, 8], "message": "Say which."])
        #expect(ManageInterface.Failure(name: failure.name, parameters: parameters) == failure)
        #expect(ManageInterface.Failure(name: failure.name, parameters: ["app": "map"]) == nil)
        #expect(JournalInterface.Failure(name: failure.name, parameters: parameters) == nil)
        #expect(!failure.isRefusal && ManageInterface.Failure.notOperator(message: "").isRefusal)
    }

    private func swift(_ text: String) throws -> String {
        try InterfaceGenerator("interface org.example.House\n\(text)").text(importing: [])
    }

    @Test func `a structure has a property for each member, and an optional property for an optional member`() throws {
        let text = try swift(
            """
            # A door.
            type Door (
              # how wide it is, in m
              width: ?float,
              # @swift Colour
              colours: []string,
              uid: int,
              state: (open, shut)
            )
            """)
        for line in [
            "    /// A door.", "        /// How wide it is, in m.", "        public var width: Double?",
            "        public var colours: [Colour]", "        public var uid: UInt32", "            case open, shut",
            "        public var state: State", "            width = try json.optional(\"width\")",
        ] {
            #expect(text.split(separator: "\n").contains(Substring(line)), "\(line)\n\(text)")
        }
    }

    @Test func `a set of words that may grow becomes a type that preserves other words`() throws {
        let text = try swift(
            """
            type Door (
              # The door's state. New words may come.
              # - open: it is open
              # - shut
              # @open State
              state: ?string,
              # @swift State
              earlier: []string
            )
            """)
        for line in [
            "        public var state: State?", "        public var earlier: [State]",
            "    /// The door's state. New words may come.", "    public struct State: VarlinkWord {",
            "        /// It is open.", "        public static var open: Self { Self(rawValue: \"open\") }",
            "        public static var shut: Self { Self(rawValue: \"shut\") }", "            .open,",
        ] {
            #expect(text.split(separator: "\n").contains(Substring(line)), "\(line)\n\(text)")
        }
        #expect(throws: GeneratorError.self) { try swift("type Door (\n  # @open State\n  state: string\n)") }
    }

    @Test func `a word of a later release is read, compared and written as it is`() throws {
        let state = try RecordingInterface.State(varlink: "dreaming")
        #expect(state.rawValue == "dreaming" && "\(state)" == "dreaming" && state != .recording)
        #expect(!RecordingInterface.State.known.contains(state))
        #expect(try written { state.write(to: &$0) } == "dreaming")
        #expect(try RecordingInterface.State(varlink: "stopped") == .stopped)
        #expect(throws: InvalidParameter(path: "")) { try RecordingInterface.State(varlink: 7) }
    }

    @Test func `annotations become ranges, streams and rights`() throws {
        let text = try swift(
            """
            # Opens a door, and reports when it shuts.
            # @more
            # @callers operators
            method Open(
              # @range 1...9
              door: int
            ) -> (isOpen: bool)
            # @refusal
            error Locked (message: string)
            """)
        for line in [
            "            door = try json.value(\"door\", in: 1...9)", "        public static let needsMore = true",
            "    public static let operatorMethods: Set<String> = [\"Open\"]", "            case .locked: true",
            "        func open(_ call: MethodCall<Open>) throws(Failure)",
        ] {
            #expect(text.split(separator: "\n").contains(Substring(line)), "\(line)\n\(text)")
        }
    }

    @Test func `a type that contains a value that is only read is only read itself`() throws {
        let text = try swift(
            """
            # @received
            type Place (latitude: float)
            type Track (places: []Place)
            method Read() -> (tracks: []Track)
            error Failed (message: string)
            """)
        #expect(text.contains("struct Track: VarlinkReadable, Equatable {"))
        #expect(text.contains("struct Reply: VarlinkReadable, Equatable {"))
        #expect(!text.contains("writer.member(\"places\""))
    }

    @Test(arguments: [
        ("# @colour red\ntype A (b: int)", "there is no annotation @colour"),
        ("error A (b: int)", "the error A has no message"), ("type A (b: int", "line 2"),
        ("# @callers operator\nmethod A() -> ()", "@callers operator of A is neither operators nor users"),
        ("# @callers anyone\nmethod A() -> ()", "@callers anyone of A is neither operators nor users"),
    ]) func `the reason for a failed generation is named`(text: String, message: String) {
        let error = #expect(throws: GeneratorError.self) { try swift(text) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }
}
