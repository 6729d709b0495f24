import Glibc
import HTTP
import Platform
import TestSupport
import TestTraits
import Testing
import Upload

@Suite(
    .waits, .timeLimit(.minutes(15)),
    .enabled(if: HTTP2Server.isPossible, "openssl and nghttpd (nghttp2-server) are needed"))
struct HTTP2Tests {
    private let certificates: TestCertificates

    init() throws {
        LoopThread.start()
        certificates = try TestCertificates()
    }

    @Test @DaemonActor func `HTTP/2 is used if it is offered, on one connection`() async throws {
        let server = try await HTTP2Server(certificates.identity())
        let client = try HTTPClient(HTTPSettings(authorityFile: certificates.authority))
        for count in 1...50 {
            let body = String(repeating: "\(count) ", count: 1 + count * 400)
            #expect(await client.post(server.url, body).text == body)
        }
        #expect(client.connections == 1)
    }

    @Test @DaemonActor func `an HTTP/2 server that stops does not block the next request`() async throws {
        let server = try await HTTP2Server(certificates.identity())
        let client = try HTTPClient(HTTPSettings(authorityFile: certificates.authority))
        #expect(await client.post(server.url, "first").text == "first")
        server.signal(SIGSTOP)
        var reported = 0
        client.send(2, HTTPRequest(.post, url: server.url, body: Array("second".utf8))) { _ in reported += 1 }
        // The request is cancelled by the uploader's timeout, and the next one has its own connection.
        client.cancel(2)
        server.signal(SIGCONT)
        #expect(await client.post(server.url, "third").text == "third")
        #expect(client.connections == 2 && reported == 0)
    }

    @Test @DaemonActor func `a killed HTTP/2 server is a lost connection`() async throws {
        let server = try await HTTP2Server(certificates.identity())
        let client = try HTTPClient(HTTPSettings(authorityFile: certificates.authority))
        #expect(await client.post(server.url, "first").text == "first")
        server.signal(SIGSTOP)
        var outcome: HTTPOutcome?
        client.send(2, HTTPRequest(.post, url: server.url, body: Array("second".utf8))) { outcome = $0 }
        // Until it has ended, its kernel would accept libcurl's second attempt.
        try server.kill()
        #expect(try await soon { outcome != nil })
        // libcurl retries by itself if the connection was an old one, and nothing listens any more.
        #expect(outcome == .failed(.connect) || outcome == .failed(.connectionLost))
    }
}

/// nghttpd(1), which returns the body that it receives.
@DaemonActor private final class HTTP2Server {
    nonisolated static let isPossible = TestCertificates.isPossible && program != nil
    nonisolated private static let program = ExecutableSearch.find("nghttpd", alsoIn: ["/usr/sbin"])

    private let process: ChildProcess
    private let held: LoopbackPort
    private var port: UInt16 { held.number }

    init(_ identity: TestCertificates.Identity) async throws {
        // nghttpd cannot use a port chosen by the system.
        held = try LoopbackPort()
        process = try ChildProcess(
            ChildProcess.Launch(
                Self.program ?? "",
                ["--echo-upload", "--address=127.0.0.1", String(held.number), identity.key, identity.certificate],
                error: .inherited, isGuarded: true))
        let url = "http://127.0.0.1:\(held.number)/"
        let probe = try HTTPClient(HTTPSettings())
        #expect(try await soon { await probe.post(url) != .failed(.connect) })
    }

    var url: String { "https://localhost:\(port)/" }
    func signal(_ number: Int32) { process.signal(number) }

    /// Returns when the process has ended, and its sockets are closed.
    func kill() throws {
        process.signal(SIGKILL)
        #expect(try process.wait(seconds: 60) == .killed(signal: SIGKILL))
    }
}
