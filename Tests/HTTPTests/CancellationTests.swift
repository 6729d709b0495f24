import Glibc
import HTTP
import Platform
import TestSupport
import Testing
import Upload

@Suite(.timeLimit(.minutes(15))) struct CancellationTests {
    init() { LoopThread.start() }

    @Test @DaemonActor func `a cancelled request has no completion, and its connection is not used again`()
        async throws
    {
        let server = try ScriptedServer { request in request.connection == 1 ? [.wait] : [.answer(200, "new")] }
        defer { server.stop() }
        let client = try HTTPClient(HTTPSettings())
        var reported = 0
        client.send(7, HTTPRequest(.post, url: server.url)) { _ in reported += 1 }
        #expect(try await soon { server.requests.count == 1 })
        client.cancel(7)
        client.cancel(8)
        #expect(await client.post(server.url).text == "new")
        #expect(try await soon { server.closed == 1 })
        #expect(reported == 0 && server.connections == 2)
    }

    @Test @DaemonActor func `after a change of the path a new connection is made`() async throws {
        let server = try ScriptedServer { _ in [.answer()] }
        defer { server.stop() }
        let client = try HTTPClient(HTTPSettings())
        #expect(await client.post(server.url).status == 200)
        client.forgetConnections()
        #expect(try await soon { server.closed == 1 })
        #expect(await client.post(server.url).status == 200)
        #expect(server.connections == 2)
    }

    @Test @DaemonActor func `a request in flight continues when the path changes`() async throws {
        let server = try ScriptedServer { request in request.connection == 1 ? [.wait, .answer()] : [.answer()] }
        defer { server.stop() }
        let client = try HTTPClient(HTTPSettings())
        var first: HTTPOutcome?
        client.send(1, HTTPRequest(.post, url: server.url)) { first = $0 }
        #expect(try await soon { server.requests.count == 1 })
        client.forgetConnections()
        #expect(await client.perform(HTTPRequest(.post, url: server.url), id: 2).status == 200)
        server.release()
        #expect(try await soon { first?.status == 200 })
        #expect(server.connections == 2)
    }

    @Test @DaemonActor func `the end of a client ends its requests and connections`() async throws {
        let server = try ScriptedServer { _ in [.wait] }
        defer { server.stop() }
        var reported = 0
        do {
            let client = try HTTPClient(HTTPSettings())
            client.send(1, HTTPRequest(.post, url: server.url)) { _ in reported += 1 }
            #expect(try await soon { server.requests.count == 1 })
        }
        #expect(try await soon { server.closed == 1 })
        #expect(reported == 0)
    }

    @Test @DaemonActor func `cancelling and sending a thousand times leaks no descriptor`() async throws {
        let server = try ScriptedServer { _ in [.wait] }
        defer { server.stop() }
        let client = try HTTPClient(HTTPSettings())
        for number in 1...1_000 as ClosedRange<UInt64> {
            client.send(number, HTTPRequest(.post, url: server.url)) { _ in }
            if number % 3 == 0 { await Task.yield() }
            client.cancel(number)
        }
        client.close()
        // Only the listening socket, on either side.
        #expect(try await soon { SocketDescriptors.count(port: server.port) == 1 })
    }
}
