import HTTP
import Platform
import TestSupport
import Testing
import Upload

@Suite(.timeLimit(.minutes(15))) struct CredentialTests {
    init() { LoopThread.start() }

    @DaemonActor private func authorization(_ credential: Credential) async throws -> [String] {
        let server = try ScriptedServer { _ in [.answer()] }
        defer { server.stop() }
        let client = try HTTPClient(HTTPSettings(credential: credential))
        // Twice, because the line is reused.
        #expect(await client.post(server.url).status == 200)
        #expect(await client.post(server.url).status == 200)
        return server.requests.flatMap { $0.head.split(separator: "\r\n").map(String.init) }
            .filter { $0.hasPrefix("Authorization") }
    }

    /// The output of base64(1) for these pairs.
    @Test(arguments: [
        ("a:", "YTo="), ("a:b", "YTpi"), ("user:pass\n", "dXNlcjpwYXNz"),
        ("jürgen:schlüssel\r\n", "asO8cmdlbjpzY2hsw7xzc2Vs"),
    ])
    func `a user and a password are sent according to RFC 7617`(pair: String, encoded: String) async throws {
        let lines = try await authorization(.basic(Secret(pair)))
        #expect(lines == ["Authorization: Basic \(encoded)", "Authorization: Basic \(encoded)"])
    }

    @Test @DaemonActor func `a token is sent according to RFC 6750`() async throws {
        let lines = try await authorization(.bearer(Secret("abc.DEF-123=\n")))
        #expect(lines == ["Authorization: Bearer abc.DEF-123=", "Authorization: Bearer abc.DEF-123="])
    }

    @Test(arguments: ["", "\n", "nocolon", "a:b\r\nX: y", "a:b\u{0}c"])
    @DaemonActor func `a pair that cannot be sent is refused at once`(pair: String) throws {
        #expect(throws: HTTPSetupError.unusableCredential) {
            try HTTPClient(HTTPSettings(credential: .basic(Secret(pair))))
        }
    }

    @Test(arguments: ["", "\n", "two words", "a\r\nX: y", "tökén"])
    @DaemonActor func `a token that cannot be sent is refused at once`(token: String) throws {
        #expect(throws: HTTPSetupError.unusableCredential) {
            try HTTPClient(HTTPSettings(credential: .bearer(Secret(token))))
        }
    }
}
