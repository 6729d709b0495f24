import Glibc
import Interfaces
import TestSupport
import Testing
import Varlink

/// Checks that interfaces only grow, and that the protocol's number rises when they have grown.
@Suite struct ProtocolTests {
    @Test func `the interfaces match those pinned for the protocol's number`() throws {
        if getenv("WAYMARK_WRITE_REFERENCE") != nil { try PinnedProtocol.present.write() }
        let pinned = try PinnedProtocol(WaymarkVersion.protocolNumber)
        for text in PinnedProtocol.present.texts {
            let name = String(text.prefix { $0 != "\n" }.dropFirst("interface ".count))
            #expect(
                text == pinned.text(of: name),
                """
                If a release has spoken protocol \(pinned.number), raise WaymarkVersion.protocolNumber. Then write it: \
                WAYMARK_WRITE_REFERENCE=1 swift test --filter ProtocolTests
                """)
        }
        #expect(pinned.texts.count == PinnedProtocol.present.texts.count)
    }

    /// What a client or a daemon of the earlier protocol lacks in the later one.
    private func breaches(from earlier: PinnedProtocol, to later: PinnedProtocol) throws -> [String] {
        try earlier.texts.flatMap { text in
            let name = String(text.prefix { $0 != "\n" }.dropFirst("interface ".count))
            guard let present = later.text(of: name) else { return ["\(name) was removed"] }
            return try InterfaceGrowth(from: text, to: present).breaches
        }
    }

    @Test func `every earlier protocol is still complete`() throws {
        for number in 1..<WaymarkVersion.protocolNumber {
            let earlier = try PinnedProtocol(number)
            #expect(!earlier.texts.isEmpty)
            #expect(try breaches(from: earlier, to: .present) == [])
        }
    }

    @Test func `a protocol that lacks something of an earlier one is found`() throws {
        let present = PinnedProtocol.present
        let note = "method Note(text: string) -> (sequence: int)\n"
        let grown = present.texts.map { $0.replacing(note, with: note + "method Remark(text: string) -> ()\n") }
        let later = PinnedProtocol(number: present.number + 1, texts: grown)
        #expect(later != present)
        #expect(try breaches(from: present, to: later) == [])
        #expect(try breaches(from: later, to: present) == ["method Remark was removed"])
        let without = PinnedProtocol(
            number: later.number, texts: grown.filter { !$0.hasPrefix("interface io.waymark.U") })
        #expect(try breaches(from: present, to: without) == ["io.waymark.Uploads was removed"])
    }

    private static let text = """
        interface org.example.test
        type Options (filter: ?float, ends: (left, right))
        type State (options: Options, since: float)
        method Read(after: int, options: ?Options) -> (state: State, last: ?int)
        error Broken (part: string)
        """

    @Test(
        arguments: [
            ("filter: ?float, ends", "ends", "type Options filter: removed"),
            (
                "filter: ?float, ends", "filter: ?float, more: bool, ends",
                "type Options more: required, but earlier clients do not send it"
            ),
            ("(left, right)", "(left, right, none)", "type Options ends: another type"),
            ("since: float", "since: int", "type State since: another type"),
            ("after: int", "after: ?int", "Read accepts after: another type"),
            (
                "after: int,", "after: int, upTo: int,",
                "Read accepts upTo: required, but earlier clients do not send it"
            ),
            (", last: ?int", "", "Read returns last: removed"),
            ("method Read", "method ReadOn", "method Read was removed"),
            ("part: string", "piece: string", "error Broken part: removed"),
            ("error Broken", "error Bent", "error Broken was removed"),
        ])
    func `a change that breaks an earlier client is found`(_ was: String, _ now: String, _ breach: String) throws {
        let later = Self.text.replacing(was, with: now)
        #expect(try InterfaceGrowth(from: Self.text, to: later).breaches == [breach])
    }

    @Test(
        arguments: [
            ("after: int,", "after: int, upTo: ?int,"), ("filter: ?float", "filter: ?float, most: ?int"),
            ("since: float", "since: float, until: float"), ("last: ?int", "last: ?int, first: int"),
            ("error Broken", "error Bent ()\nerror Broken"),
            ("method Read", "method Stop(now: bool) -> ()\nmethod Read"),
        ])
    func `a change that an earlier client can ignore is allowed`(_ was: String, _ now: String) throws {
        #expect(try InterfaceGrowth(from: Self.text, to: Self.text.replacing(was, with: now)).breaches == [])
    }

    @Test func `no feature is listed twice`() {
        #expect(Set(DaemonFeature.known).count == DaemonFeature.known.count)
    }
}
