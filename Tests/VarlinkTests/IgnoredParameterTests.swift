import Glibc
import JSONText
import Platform
import TestSupport
import Testing

@testable import Varlink

/// Calls with parameters that the interface does not have, which are ignored.
@Suite(.timeLimit(.minutes(15))) struct IgnoredParameterTests {
    init() { LoopThread.start() }

    /// Values that need much more memory than their text.
    private static let values = JSON.array(Array(repeating: ["aaaaaaaaaaaaaaaa"], count: 1_000))
    private static let request = CallRequest(
        method: "org.example.test.Hold", parameters: ["text": "a", "whim": values, "nothing": nil], more: true)

    /// The only call of a client that has made this request.
    @DaemonActor private func call(_ fixture: ServerFixture, _ client: LoopClient) async throws -> Call {
        client.call(Self.request) { _ in }
        try await fixture.eventually("called") { fixture.held.count == 1 }
        return try #require(fixture.held.first)
    }

    @Test @DaemonActor func `an open call retains no value of a parameter that its interface does not have`()
        async throws
    {
        let fixture = try await ServerFixture.start()
        let client = try LoopClient(path: fixture.path)
        let call = try await call(fixture, client)
        #expect(call.parameters == ["text": "a"] && call.request.more)
        #expect(call.retainedBytes < 1_000, "a call that is not repeated does not retain their text either")
        withExtendedLifetime(client) {}
    }

    @Test @DaemonActor func `the next process receives the parameters that this one ignores`() async throws {
        let (fixture, next) = (try await ServerFixture.start(), try await ServerFixture.start())
        try fixture.repeatHold(.unlessSame)
        // A newer release, whose interface has the parameter.
        let newer = ServerFixture.interfaceText.replacing(
            "Hold(text: ?string)", with: "Hold(text: ?string, whim: ?[][]string)")
        try next.repeatHold(.unlessSame, in: newer)
        let client = try LoopClient(path: fixture.path)
        let call = try await call(fixture, client)
        #expect(call.parameters == ["text": "a"])
        #expect(call.retainedBytes < Self.request.encoded.count + 1_000, "their text is all that is retained of them")
        let message = try #require(call.connection.handedOver?.call).message
        #expect(try CallRequest(parsing: message) == Self.request)

        call.continuation = ["text": "b"]
        let connection = call.connection
        let handed = try #require(connection.handedOver)
        let socket = try OwnedDescriptor("dup") { dup(connection.descriptors[0]) }
        fixture.stop()
        let resumed = try next.server.resume(socket, process: nil, handed)
        #expect(resumed.restingCall?.parameters == ["text": "b", "whim": Self.values])
        resumed.goOn()
        #expect(next.held.first?.parameters == ["text": "b", "whim": Self.values])
        withExtendedLifetime(client) {}
    }

    @Test func `members that are ignored are left out at any depth, and nothing else is`() throws {
        let description = try InterfaceDescription(
            parsing: """
                interface org.example.depth
                type Area (name: string, radius: ?float)
                method Watch(area: ?Area, areas: ?[]Area, named: ?[string]Area, any: ?object, more: ?(depth: int)) -> ()
                """)
        let known: JSON = [
            "area": ["name": "a", "radius": nil], "areas": [["name": "a"], ["name": "b", "radius": 1]],
            "named": ["home": ["name": "a"]], "any": ["height": [1, 2]], "more": ["depth": 1],
        ]
        #expect(description.knownParameters(known, of: "Watch") == nil, "there is nothing to leave out")
        let unknown: JSON = [
            "area": ["name": "a", "height": 1, "radius": nil], "width": [],
            "areas": [["height": nil, "name": "a"], ["name": "b", "radius": 1]],
            "named": ["home": ["name": "a", "height": [[]]]], "any": ["height": [1, 2]],
            "more": ["depth": 1, "height": 1], "nothing": nil,
        ]
        #expect(description.knownParameters(unknown, of: "Watch") == known)
        #expect(description.knownParameters(unknown, of: "Listen") == nil)
        // Values of another type than the interface's are not examined.
        let wrong: JSON = ["area": 7, "areas": ["a", nil], "named": [["height": 1]], "more": "depth"]
        #expect(description.knownParameters(wrong, of: "Watch") == nil)
    }

    @Test func `a call of many small values counts for the memory that they need`() {
        func request(_ values: [JSON]) -> CallRequest {
            CallRequest(method: "org.example.test.Hold", parameters: ["values": .array(values)])
        }
        let many = request(Array(repeating: .array([]), count: 10_000))
        let large = request([.string(String(repeating: "a", count: 30_000))])
        #expect(many.encoded.count < large.encoded.count + 1_000)
        #expect(many.memoryBytes > 1_000_000)
        #expect((30_000..<31_000).contains(large.memoryBytes))
        #expect(CallRequest(method: "org.example.test.Hold").memoryBytes < 1_000)
    }
}
