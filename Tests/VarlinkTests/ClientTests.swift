import Glibc
import JSONText
import Platform
import TestSupport
import Testing

@testable import Varlink

/// The client against a peer that the test plays itself.
@Suite(.timeLimit(.minutes(15))) struct ClientTests {
    private final class Pair {
        let client: Client
        let peer: OwnedDescriptor

        init() throws {
            var numbers: [Int32] = [-1, -1]
            try retrying("make a pair of sockets") { socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) }
            peer = OwnedDescriptor(adopting: numbers[1])
            client = try Client(adopting: OwnedDescriptor(adopting: numbers[0]), maximumReplyBytes: 1_000)
        }

        func answer(_ text: String) throws {
            let bytes = Array(text.utf8)
            let count = send(peer.number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            try #require(count == bytes.count)
        }
    }

    @Test func `connecting to a missing socket fails`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("socket")
        let error = #expect(throws: VarlinkError.self) { _ = try Client(path: path, timeout: patience) }
        #expect(error == .cannotConnect(SystemError("connect to", code: ENOENT, subject: path)))
    }

    @Test func `a service that has no room in time cannot be connected to`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("socket")
        let listener = try UnixSocket.listen(path: path, mode: 0o600, backlog: 0)
        let first = try Client(path: path, timeout: patience)
        #expect(throws: VarlinkError.cannotConnect(SystemError("connect to", code: EAGAIN, subject: path))) {
            _ = try Client(path: path, timeout: .milliseconds(20))
        }
        first.close()
        listener.close()
    }

    @Test func `a wait for room of a service ends with the caller's descriptor`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("socket")
        let listener = try UnixSocket.listen(path: path, mode: 0o600, backlog: 0)
        let first = try Client(path: path, timeout: patience)
        let stop = WakeDescriptor()
        #expect(throws: VarlinkError.cannotConnect(SystemError("connect to", code: EAGAIN, subject: path))) {
            _ = try Client(path: path, timeout: .milliseconds(20), until: stop.number)
        }
        stop.signal()
        #expect(throws: VarlinkError.closed) { _ = try Client(path: path, until: stop.number) }
        // A service with room is connected to all the same: what ends is waiting.
        _ = try UnixSocket.accept(listener.number)
        _ = try Client(path: path, until: stop.number)
        first.close()
    }

    @Test func `a wait for a reply ends with the caller's descriptor, also for what precedes the call`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("socket")
        let listener = try UnixSocket.listen(path: path, mode: 0o600)
        for parameters in [JSON.emptyObject, ["text": "a"]] {
            let stop = WakeDescriptor()
            let client = try Client(path: path, speaking: 3, until: stop.number)
            stop.signal()
            #expect(throws: VarlinkError.closed) { try client.call("a.b.C", parameters, timeout: patience) }
            #expect(client.descriptor == nil)
        }
        listener.close()
    }

    @Test func `a call without reply in time closes the connection`() throws {
        let pair = try Pair()
        #expect(throws: VarlinkError.timedOut) { try pair.client.call("a.b.C", timeout: .milliseconds(20)) }
        #expect(throws: VarlinkError.closed) { try pair.client.call("a.b.C", timeout: patience) }
        #expect(pair.client.descriptor == nil)
    }

    @Test func `a call that the socket does not take in time closes the connection`() throws {
        let pair = try Pair()
        let text = JSON.string(String(repeating: "x", count: 4 << 20))
        #expect(throws: VarlinkError.timedOut) {
            try pair.client.call("a.b.C", ["text": text], timeout: .milliseconds(20))
        }
    }

    @Test func `a call without a reply fails when the service has closed the connection`() throws {
        let pair = try Pair()
        shutdown(pair.peer.number, Int32(SHUT_RDWR))
        #expect(throws: VarlinkError.closed) { try pair.client.callOneway("a.b.C", timeout: patience) }
        #expect(pair.client.descriptor == nil)
    }

    static let violations: [String] = [
        "{\0", "[]\0", "{\"parameters\":1}\0", "{\"error\":1}\0", "{\"continues\":\"no\"}\0", "{\"continues\":true}\0",
        String(repeating: " ", count: 1_001),
    ]

    @Test(arguments: violations)
    func `a service that does not speak Varlink is distinguished from one that fails`(reply: String) throws {
        let pair = try Pair()
        try pair.answer(reply)
        let error = #expect(throws: VarlinkError.self) { try pair.client.call("a.b.C", timeout: patience) }
        guard case .protocolViolation = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(pair.client.descriptor == nil)
    }

    @Test func `a reply without parameters has none`() throws {
        let pair = try Pair()
        try pair.answer("{}\0")
        #expect(try pair.client.call("a.b.C", timeout: patience) == [:])
    }

    @Test func `the end of the connection ends a call and a stream`() throws {
        let pair = try Pair()
        try pair.answer("{\"continues\":true,\"parameters\":{\"n\":1}}\0{\"half")
        shutdown(pair.peer.number, Int32(SHUT_RDWR))
        let stream = try pair.client.stream("a.b.C")
        #expect(try stream.next(timeout: patience)?.parameters == ["n": 1])
        #expect(throws: VarlinkError.closed) { try stream.next(timeout: patience) }
    }

    @Test func `a pending reply is read although the service has exited`() throws {
        let pair = try Pair()
        try pair.answer("{\"error\":\"a.b.Full\",\"parameters\":{\"message\":\"Full.\"}}\0")
        shutdown(pair.peer.number, Int32(SHUT_RDWR))
        let error = #expect(throws: VarlinkError.self) { try pair.client.call("a.b.C", timeout: patience) }
        #expect(error == .reply(name: "a.b.Full", parameters: ["message": "Full."]))
        #expect(error?.description == "Full.")
    }

    @Test func `an error ends a stream and leaves the connection`() throws {
        let pair = try Pair()
        let stream = try pair.client.stream("a.b.C")
        #expect(throws: VarlinkError.self) { try pair.client.call("a.b.D", timeout: patience) }
        try pair.answer("{\"error\":\"a.b.E\"}\0{\"parameters\":{\"n\":2}}\0")
        #expect(throws: VarlinkError.reply(name: "a.b.E", parameters: [:])) { try stream.next(timeout: patience) }
        #expect(try stream.next(timeout: patience) == nil)
        #expect(try pair.client.call("a.b.D", timeout: patience) == ["n": 2])
    }

    @Test func `waiting wakes up for the service, another descriptor, or the time`() throws {
        let pair = try Pair()
        let other = try Pair()
        let number = other.client.descriptor ?? -1
        let stream = try pair.client.stream("a.b.C")
        let nothing = try pair.client.waitReadable(alsoWatching: [number], timeout: .milliseconds(5))
        #expect(nothing == .timedOut)
        try other.answer("x")
        let key = try pair.client.waitReadable(alsoWatching: [number], timeout: patience)
        #expect(key == .descriptor(number))
        try pair.answer("{\"continues\":true}\0{\"continues\":true}\0")
        let service = try pair.client.waitReadable(alsoWatching: [number], timeout: patience)
        #expect(service == .reply)
        #expect(try stream.next(timeout: patience) != nil)
        // The second reply is in memory already: the socket alone would not wake anybody.
        let second = try pair.client.waitReadable(alsoWatching: [number], timeout: patience)
        #expect(second == .reply)
        stream.cancel()
        #expect(throws: VarlinkError.closed) { try pair.client.waitReadable(timeout: patience) }
    }

    static let raw: [(String, [String], String?)] = [
        (#"{"parameters":{"p":{"x":1.50,"y":[1, 2]},"q":"}"}}"#, ["p"], #"{"x":1.50,"y":[1, 2]}"#),
        (#"{ "parameters" : { "p" : {"x" : 1.50 , "y":"," } } }"#, ["p", "x"], "1.50"),
        (#"{"error":null,"parameters":{"a\"b":"\\\"","p":[{"p":2}]}}"#, ["p"], #"[{"p":2}]"#),
        (#"{"parameters":{"a\"b":"\\\"","p":0}}"#, ["a\"b"], #""\\\"""#),
        (#"{"parameters":{"p":1,"\u0070":2}}"#, ["p"], "2"), (#"{"parameters":{"p":1}}"#, [], #"{"p":1}"#),
        (#"{"parameters":{"p":1}}"#, ["q"], nil), (#"{"parameters":{"p":1}}"#, ["p", "q"], nil), ("{}", [], nil),
        (#"{"parameters":{}}"#, ["p"], nil), (#"{"parameters":{"p":[]}}"#, ["p", "q"], nil),
    ]

    @Test(arguments: raw)
    func `a parameter's bytes are those received`(message: String, path: [String], expected: String?) throws {
        let reply = try Reply(parsing: Array(message.utf8))
        let raw = JSON.rawValue(in: reply.message, at: ["parameters"] + path)
        #expect(raw.map { String(decoding: $0, as: UTF8.self) } == expected)
    }
}
