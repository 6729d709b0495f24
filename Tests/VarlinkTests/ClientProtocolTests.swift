import Glibc
import JSONText
import Platform
import TestSupport
import Testing

@testable import Varlink

/// A client that says which protocol it speaks, and services that speak it, or an earlier one.
@Suite(.timeLimit(.minutes(15))) struct ClientProtocolTests {
    private static let echo = "org.example.test.Echo"

    private func client(_ fixture: ServerFixture, speaking number: Int? = 3) throws -> Client {
        try Client(path: fixture.path, timeout: patience, speaking: number)
    }

    @Test func `a service reports its protocol and its present features`() async throws {
        let fixture = try await ServerFixture.start(protocolNumber: 3)
        let client = try client(fixture)
        let reported = try client.serviceInfo(timeout: patience)
        #expect(reported.protocolNumber == 3 && reported.features == ["light"])
        await fixture.offer(["sound"])
        #expect(try client.serviceInfo(timeout: patience).features == ["sound"])
        let description = try InterfaceDescription(parsing: ServiceInfo.interfaceText)
        let reply = try client.call("org.varlink.service.GetInfo", timeout: patience)
        try description.validate(reply, against: #require(description.methods["GetInfo"]).output)
        await fixture.stop()
    }

    @Test(arguments: [nil, 1, 2])
    func `a parameter that an older service would pass over is not sent`(_ spoken: Int?) async throws {
        let fixture = try await ServerFixture.start(protocolNumber: spoken)
        let client = try client(fixture)
        let unknown = VarlinkError.unknownParameter("whim", method: Self.echo)
        #expect(throws: unknown) { try client.call(Self.echo, ["text": "a", "whim": 1], timeout: patience) }
        #expect(throws: VarlinkError.unknownParameter("whim", method: "org.example.test.Note")) {
            try client.callOneway("org.example.test.Note", ["text": "a", "whim": 1], timeout: patience)
        }
        #expect(throws: VarlinkError.unknownParameter("whim", method: "org.example.test.Count")) {
            try client.stream("org.example.test.Count", ["to": 1, "whim": []], timeout: patience)
        }
        // The connection is as good as before, and what is known or null is no obstacle.
        let reply = try client.call(Self.echo, ["text": "b", "wish": 1, "whim": nil], timeout: patience)
        #expect(reply["text"] == "b")
        #expect(await fixture.notes == [])
        await fixture.stop()
    }

    @Test(arguments: [3, 4])
    func `of a service of the same protocol or a newer one nothing is asked but that`(_ spoken: Int) async throws {
        let fixture = try await ServerFixture.start(protocolNumber: spoken)
        let client = try client(fixture)
        #expect(try client.call(Self.echo, ["text": "a", "whim": 1], timeout: patience)["text"] == "a")
        #expect(try client.call(Self.echo, ["text": "b"], timeout: patience)["text"] == "b")
        await fixture.stop()
    }

    @Test func `who does not mind is not asked`() async throws {
        let fixture = try await ServerFixture.start()
        let client = try client(fixture, speaking: nil)
        #expect(try client.call(Self.echo, ["text": "a", "whim": 1], timeout: patience)["text"] == "a")
        await fixture.stop()
    }

    @Test func `what a service does not have it says itself`() async throws {
        let fixture = try await ServerFixture.start()
        let client = try client(fixture)
        #expect(throws: VarlinkError.self) { try client.call("org.example.test.Dance", ["to": 1], timeout: patience) }
        let error = #expect(throws: VarlinkError.self) {
            try client.call("org.example.other.Dance", ["to": 1], timeout: patience)
        }
        guard case .reply("org.varlink.service.InterfaceNotFound", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try client.call(Self.echo, ["text": "a"], timeout: patience)["text"] == "a")
        await fixture.stop()
    }

    @Test func `finding out counts to the time of the call`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("socket")
        let deaf = try UnixSocket.listen(path: path, mode: 0o600)
        let client = try Client(path: path, timeout: patience, speaking: 3)
        #expect(throws: VarlinkError.timedOut) {
            try client.call(Self.echo, ["text": "a"], timeout: .milliseconds(20))
        }
        deaf.close()
    }

    private static let interface = """
        interface org.example.test
        type Area (name: string, radius: ?float)
        type Side (left, right)
        method Watch(area: Area, areas: []Area, named: [string]?Area, side: ?Side, any: ?object, more: ?(depth: int)) -> ()
        """

    @Test(
        arguments: [
            (["area": ["name": "a", "radius": 1]], nil), (["area": ["name": "a", "height": 1]], "area.height"),
            (["areas": [["name": "a"], ["name": "b", "height": 1]]], "areas[1].height"),
            (["named": ["home": ["name": "a"]]], nil), (["named": ["home": ["height": 1]]], "named[].height"),
            (["named": ["home": nil]], nil), (["side": "up", "any": ["height": 1]], nil),
            (["more": ["depth": 1, "height": 1]], "more.height"), (["height": nil], nil), (["height": false], "height"),
            (["area": ["height": nil]], nil), (["area": "of another kind", "areas": 7], nil), ([], nil),
        ] as [(JSON, String?)])
    func `what a method does not know is found where it stands`(_ parameters: JSON, _ path: String?) throws {
        let description = try InterfaceDescription(parsing: Self.interface)
        #expect(description.unknownParameter(parameters, of: "Watch") == path)
        #expect(description.unknownParameter(parameters, of: "Listen") == nil)
    }
}
