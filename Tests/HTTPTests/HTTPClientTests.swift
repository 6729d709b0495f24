import Glibc
import HTTP
import Platform
import TestSupport
import Testing
import Upload

@Suite(.timeLimit(.minutes(15))) struct HTTPClientTests {
    init() { LoopThread.start() }

    @Test @DaemonActor func `a request arrives as it was written, and its response is returned`() async throws {
        let server = try ScriptedServer { _ in [.answer(201, "stored", ["Retry-After: 7", "X-Odd:  spaced \t"])] }
        defer { server.stop() }
        let client = try HTTPClient(HTTPSettings())
        let outcome = await client.perform(
            HTTPRequest(
                .post, url: server.url + "a/../b?c=d", headers: [HTTPAnswer.Header("X-Limit-U", "jürgen")],
                body: [0, 1, 255]))
        #expect(
            outcome
                == .answered(
                    HTTPAnswer(
                        status: 201,
                        headers: [
                            HTTPAnswer.Header("Content-Length", "6"), HTTPAnswer.Header("Retry-After", "7"),
                            HTTPAnswer.Header("X-Odd", "spaced"),
                        ], body: Array("stored".utf8))))
        let request = try #require(server.requests.first)
        #expect(request.body == [0, 1, 255])
        #expect(request.head.hasPrefix("POST /a/../b?c=d HTTP/1.1\r\n"))
        #expect(request.head.contains("X-Limit-U: jürgen"))
        #expect(!request.head.contains("Authorization") && !request.head.contains("Expect"))
    }

    @Test @DaemonActor func `a GET has no body even after a POST`() async throws {
        let server = try ScriptedServer { _ in [.answer()] }
        defer { server.stop() }
        let client = try HTTPClient(HTTPSettings())
        #expect(await client.post(server.url, "long enough").status == 200)
        #expect(await client.perform(HTTPRequest(.get, url: server.url)).status == 200)
        #expect(await client.perform(HTTPRequest(.post, url: server.url)).status == 200)
        let lines = server.requests.map { "\($0.head.prefix(5)) \($0.body.count)" }
        #expect(lines == ["POST  11", "GET / 0", "POST  0"])
    }

    @Test @DaemonActor func `many requests share one connection`() async throws {
        let server = try ScriptedServer { _ in [.answer(200, "[]")] }
        defer { server.stop() }
        let client = try HTTPClient(HTTPSettings())
        for count in 1...200 {
            #expect(await client.post(server.url, "\(count)").text == "[]")
        }
        #expect(server.connections == 1 && client.connections == 1)
        #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == (1...200).map(String.init))
    }

    @Test @DaemonActor func `no part of a request remains for the next one`() async throws {
        let server = try ScriptedServer { _ in [.answer()] }
        defer { server.stop() }
        let client = try HTTPClient(HTTPSettings())
        let key = "\"" + String(repeating: "k", count: 300) + "\""
        let requests = [
            HTTPRequest(.post, url: server.url, headers: [HTTPAnswer.Header("X-A", "1")], key: "\"a\""),
            HTTPRequest(.post, url: server.url, headers: [HTTPAnswer.Header("X-A", "1")], key: "\"b\""),
            HTTPRequest(.post, url: server.url + "other", headers: [HTTPAnswer.Header("X-B", "2")], key: key),
            HTTPRequest(.post, url: server.url, headers: [HTTPAnswer.Header("X\r\nA", "1")]),
            HTTPRequest(.get, url: server.url),
        ]
        #expect(await perform(requests, client) == [200, 200, 200, nil, 200])
        let lines = server.requests.map { request in
            request.head.split(separator: "\r\n").filter {
                $0.contains("/1.1") || $0.contains("X-") || $0.contains("Key")
            }
        }
        #expect(
            lines == [
                ["POST / HTTP/1.1", "Idempotency-Key: \"a\"", "X-A: 1"],
                ["POST / HTTP/1.1", "Idempotency-Key: \"b\"", "X-A: 1"],
                ["POST /other HTTP/1.1", "Idempotency-Key: \(key)", "X-B: 2"],
                ["GET / HTTP/1.1"],
            ])
    }

    @DaemonActor private func perform(_ requests: [HTTPRequest], _ client: HTTPClient) async -> [Int?] {
        var statuses: [Int?] = []
        for request in requests { statuses.append(await client.perform(request).status) }
        return statuses
    }

    @Test @DaemonActor func `a response in many pieces is one response`() async throws {
        let answer = Array(
            "HTTP/1.1 100 Continue\r\nX-A: 1\r\n\r\nHTTP/1.1 202 Ok\r\nX-B: 2\r\nContent-Length: 3\r\n\r\nabc".utf8)
        let server = try ScriptedServer { _ in answer.map { .send([$0]) } }
        defer { server.stop() }
        let client = try HTTPClient(HTTPSettings())
        guard case .answered(let answered) = await client.post(server.url) else {
            Issue.record("no answer")
            return
        }
        #expect(answered.status == 202 && answered.body == Array("abc".utf8))
        #expect(answered.headers.map(\.name) == ["X-B", "Content-Length"])
    }

    @Test @DaemonActor func `a body is received up to the limit, and the rest is not awaited`() async throws {
        let long = String(repeating: "x", count: 1 << 20)
        // The server announces a megabyte, sends a part of it, and never the rest.
        let server = try ScriptedServer { _ in
            [.send("HTTP/1.1 200 Ok\r\nContent-Length: 1048576\r\n\r\n" + long.prefix(100_000)), .wait]
        }
        defer { server.stop() }
        let client = try HTTPClient(HTTPSettings())
        #expect(await client.post(server.url).text?.utf8.count == HTTPAnswer.longestBody)
        #expect(await client.post(server.url).text?.utf8.count == HTTPAnswer.longestBody)
        #expect(server.connections == 2)
    }

    @Test @DaemonActor func `a compressed body is decompressed, and a bomb is not`() async throws {
        let directory = try TemporaryDirectory()
        let plain = try directory.write("plain", "{\"result\":\"ok\"}")
        let bomb = directory.file("bomb")
        let made = try CompletedProcess.run(
            "/bin/sh", ["-ec", "gzip -k \"$0\"; head -c 200000000 /dev/zero | gzip -9 >\"$1\"", plain, bomb])
        #expect(made.status.isSuccess)
        let packed = [plain + ".gz", bomb].map { path in
            do { return try BoundedFile.bytes(of: path, limit: 1 << 20) } catch { return [] }
        }
        let server = try ScriptedServer { request in
            let isBomb = request.head.contains("/bomb")
            let body = packed[isBomb ? 1 : 0]
            let head = "HTTP/1.1 200 Ok\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
            // Of the bomb only the part that decompresses to four megabytes is sent: a client that wants more would
            // wait for ever.
            return [.send(Array(head.utf8) + (isBomb ? body.prefix(4_096) : body[...]))] + (isBomb ? [.wait] : [])
        }
        defer { server.stop() }
        let client = try HTTPClient(HTTPSettings())
        #expect(await client.post(server.url).text == "{\"result\":\"ok\"}")
        #expect(packed[1].count > 4_096)
        #expect(await client.post(server.url + "bomb").text?.utf8.count == HTTPAnswer.longestBody)
    }

    @Test @DaemonActor func `an endless head costs only the connection`() async throws {
        let lines = (0..<20_000).map { "X-\($0): \(String(repeating: "y", count: 100))\r\n" }.joined()
        let server = try ScriptedServer { _ in [.send("HTTP/1.1 200 Ok\r\n" + lines), .close] }
        defer { server.stop() }
        let client = try HTTPClient(HTTPSettings())
        #expect(await client.post(server.url) == .failed(.connectionLost))
    }

    @Test(arguments: ["", "HTTP/1.1 200 Ok\r\nContent-Length: 10\r\n\r\nabc", "HTTP/1.1 200", "no HTTP\r\n\r\n"])
    @DaemonActor func `a response that ends early is a failure`(beginning: String) async throws {
        let server = try ScriptedServer { _ in [.send(beginning), .close] }
        defer { server.stop() }
        let client = try HTTPClient(HTTPSettings())
        #expect(await client.post(server.url) == .failed(.connectionLost))
    }

    @Test @DaemonActor func `a connection that was closed while idle is replaced`() async throws {
        let server = try ScriptedServer { request in
            request.connection == 1 ? [.answer(200, "first"), .close] : [.answer(200, "second")]
        }
        defer { server.stop() }
        let client = try HTTPClient(HTTPSettings())
        #expect(await client.post(server.url).text == "first")
        #expect(try await soon { server.closed == 1 })
        #expect(await client.post(server.url).text == "second")
        #expect(server.connections == 2 && server.requests.count == 2)
    }

    @Test @DaemonActor func `a redirection is a response, and is not followed`() async throws {
        let other = try ScriptedServer { _ in [.answer()] }
        let target = other.url
        let server = try ScriptedServer { _ in [.answer(307, "", ["Location: \(target)"])] }
        defer {
            server.stop()
            other.stop()
        }
        let client = try HTTPClient(HTTPSettings(credential: .bearer(Secret("t0ken"))))
        #expect(await client.post(server.url).status == 307)
        #expect(other.connections == 0)
    }

    @Test @DaemonActor func `an unavailable server is reported as such`() async throws {
        let nobody = try LoopbackPort()
        let client = try HTTPClient(HTTPSettings())
        #expect(await client.post("http://127.0.0.1:\(nobody.number)/") == .failed(.connect))
        #expect(await client.post("http://nobody.invalid/") == .failed(.nameLookup))
        #expect(await client.post("ftp://127.0.0.1/") == .failed(.connectionLost))
        #expect(await client.post("file:///etc/passwd") == .failed(.connectionLost))
    }

    @Test @DaemonActor func `a connection attempt times out`() async throws {
        // A listener whose queue is full accepts no further connection.
        let listener = try OwnedDescriptor("make a socket") { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let number = listener.number
        var fillers: [Int32] = []
        defer { for filler in fillers { close(filler) } }
        withUnsafeMutablePointer(to: &address) { pointer in
            // A socket address of its kind, and its length.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = bind(number, pointer, length)
                listen(number, 0)
                getsockname(number, pointer, &length)
                for _ in 0..<4 {
                    let filler = socket(
                        AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
                    _ = connect(filler, pointer, length)
                    fillers.append(filler)
                }
            }
        }
        let client = try HTTPClient(HTTPSettings(connectTimeout: .milliseconds(300)))
        let url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/"
        #expect(await client.post(url) == .failed(.connect))
    }

    @Test @DaemonActor func `a header that contains a line break is not sent`() async throws {
        let server = try ScriptedServer { _ in [.answer()] }
        defer { server.stop() }
        let client = try HTTPClient(HTTPSettings())
        for header in [
            HTTPAnswer.Header("X", "a\r\nY: b"), HTTPAnswer.Header("X\r\nY", "a"), HTTPAnswer.Header("", "a"),
        ] {
            let request = HTTPRequest(.post, url: server.url, headers: [header])
            #expect(await client.perform(request) == .failed(.connect))
        }
        let request = HTTPRequest(.post, url: server.url, key: "\"a\r\nY: b\"")
        #expect(await client.perform(request) == .failed(.connect))
        #expect(await client.post(server.url + "a\r\nX: b") == .failed(.connect))
        #expect(server.requests.isEmpty)
    }
}
