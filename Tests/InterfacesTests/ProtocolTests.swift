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

    @Test(arguments: 1..<WaymarkVersion.protocolNumber)
    func `every earlier protocol is still complete`(_ number: Int) throws {
        let earlier = try PinnedProtocol(number)
        #expect(!earlier.texts.isEmpty)
        for text in earlier.texts {
            let name = String(text.prefix { $0 != "\n" }.dropFirst("interface ".count))
            let present = try #require(PinnedProtocol.present.text(of: name), "\(name) was removed")
            #expect(try InterfaceGrowth(from: text, to: present).breaches == [])
        }
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
