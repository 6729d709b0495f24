import HTTP
import Platform
import TestSupport
import Testing
import Upload

@Suite(.timeLimit(.minutes(15))) struct PreparedRequestTests {
    init() { LoopThread.start() }

    private func bodies(_ server: ScriptedServer) -> [String] {
        server.requests.map { String(decoding: $0.body, as: UTF8.self) }
    }

    @Test @DaemonActor func `prepared requests can be sent in any order`() async throws {
        let server = try ScriptedServer { _ in [.answer()] }
        defer { server.stop() }
        let client = try HTTPClient(HTTPSettings())
        let (first, second) = (client.prepare(server.url, "first"), client.prepare(server.url, "second"))
        #expect(server.connections == 0)
        #expect(await client.post(server.url, "third").status == 200)
        #expect(await client.perform(second).status == 200)
        #expect(await client.perform(first).status == 200)
        #expect(bodies(server) == ["third", "second", "first"])
        #expect(server.connections == 1)
    }

    @Test @DaemonActor func `a prepared request that is not sent leaves nothing behind`() async throws {
        let server = try ScriptedServer { _ in [.answer()] }
        defer { server.stop() }
        let client = try HTTPClient(HTTPSettings())
        #expect(await client.post(server.url, "first").status == 200)
        _ = client.prepare(server.url, "dropped")
        #expect(await client.post(server.url, "last").status == 200)
        #expect(bodies(server) == ["first", "last"])
    }

    @Test @DaemonActor func `a completion can send the next request over the same connection`() async throws {
        let server = try ScriptedServer { request in [.answer(200, String(decoding: request.body, as: UTF8.self))] }
        defer { server.stop() }
        let client = try HTTPClient(HTTPSettings())
        let count = 50
        let answers = await withCheckedContinuation { (continuation: CheckedContinuation<[String?], Never>) in
            var answers: [String?] = []
            @DaemonActor func send(_ request: PreparedRequest) {
                client.send(UInt64(answers.count), request) { outcome in
                    answers.append(outcome.text)
                    guard answers.count < count else { return continuation.resume(returning: answers) }
                    send(client.prepare(server.url, "\(answers.count)"))
                }
            }
            send(client.prepare(server.url, "0"))
        }
        #expect(answers == (0..<count).map(String.init))
        #expect(server.connections == 1 && client.connections == 1)
    }

    @Test(arguments: ["http://jane@127.0.0.1:9/", "http://127.0.0.1:99999/", "http://[::1/", ""])
    @DaemonActor func `an unusable URL fails when the request is sent`(url: String) async throws {
        let client = try HTTPClient(HTTPSettings())
        #expect(await client.perform(client.prepare(url, "body")) == .failed(.connect))
    }
}

extension HTTPClient {
    fileprivate func prepare(_ url: String, _ body: String) -> PreparedRequest {
        prepare(HTTPRequest(.post, url: url, body: Array(body.utf8)))
    }

    fileprivate func perform(_ request: PreparedRequest) async -> HTTPOutcome {
        await withCheckedContinuation { continuation in
            send(1, request) { continuation.resume(returning: $0) }
        }
    }
}
