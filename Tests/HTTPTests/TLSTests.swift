import Glibc
import HTTP
import Platform
import TestSupport
import Testing
import Upload

@Suite(
    .timeLimit(.minutes(15)), .enabled(if: TLSServer.isPossible, "openssl and /usr/bin/python3 are needed"))
struct TLSTests {
    private let certificates: TestCertificates

    init() throws {
        LoopThread.start()
        certificates = try TestCertificates()
    }

    @DaemonActor private func client(_ credential: Credential = .none, trusting file: String? = nil) throws
        -> HTTPClient
    {
        try HTTPClient(HTTPSettings(credential: credential, authorityFile: file ?? certificates.authority))
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    @DaemonActor func `a valid certificate is trusted`(host: String) async throws {
        let server = try TLSServer(certificates.identity())
        #expect(await (try client()).post(server.url(host)).text == "TLSv1.3 nobody")
    }

    @Test @DaemonActor func `an expired certificate is reported as such`() async throws {
        let server = try TLSServer(certificates.identity(days: -1))
        #expect(await (try client()).post(server.url()) == .failed(.tls(.expired)))
    }

    @Test(arguments: [("DNS:elsewhere.example", "localhost"), ("DNS:localhost", "127.0.0.1")])
    @DaemonActor func `a certificate for another name is reported as such`(names: String, host: String) async throws {
        let server = try TLSServer(certificates.identity(names))
        #expect(await (try client()).post(server.url(host)) == .failed(.tls(.wrongName)))
    }

    @Test @DaemonActor func `a certificate from an untrusted authority is reported as such`() async throws {
        let server = try TLSServer(certificates.identity())
        let others = try TestCertificates()
        let stranger = try client(trusting: others.authority)
        #expect(await stranger.post(server.url()) == .failed(.tls(.unknownIssuer)))
        // The certificate is not trusted by the system's authorities either.
        #expect(await (try client(trusting: "")).post(server.url()) == .failed(.tls(.unknownIssuer)))
    }

    @Test @DaemonActor func `an unusable file of authorities is reported as such`() async throws {
        let server = try TLSServer(certificates.identity())
        let directory = try TemporaryDirectory()
        for file in [directory.file("none"), try directory.write("empty", "")] {
            #expect(await (try client(trusting: file)).post(server.url()) == .failed(.tls(.authoritiesUnusable)))
        }
    }

    @Test(arguments: ["1.2", "1.3"])
    @DaemonActor func `a required client certificate is sent`(version: String) async throws {
        let server = try TLSServer(certificates.identity(), demanding: certificates.authority, highest: version)
        let own = try certificates.credential(certificates.identity("DNS:client", called: "A client"))
        let client = try client(.certificate(Secret(own)))
        #expect(await client.post(server.url()).text == "TLSv\(version) A client")
        #expect(await client.post(server.url()).text == "TLSv\(version) A client")
    }

    @Test @DaemonActor func `a missing or wrong client certificate is reported as such`() async throws {
        let server = try TLSServer(certificates.identity(), demanding: certificates.authority)
        let others = try TestCertificates()
        let foreign = try Secret(others.credential(others.identity()))
        let expired = try Secret(certificates.credential(certificates.identity(days: -1)))
        for credential in [Credential.none, .certificate(foreign), .certificate(expired)] {
            let client = try client(credential)
            var outcomes: [HTTPOutcome] = []
            // The server refuses after the handshake, and its alert is lost if the end of the connection arrives first.
            let isReported = try await soon {
                outcomes.append(await client.post(server.url()))
                return outcomes.last == .failed(.tls(.certificateRefused))
            }
            #expect(isReported)
            #expect(outcomes.dropLast().allSatisfy { $0 == .failed(.connectionLost) })
        }
    }

    @Test @DaemonActor func `before TLS 1,3 a wrong client certificate is reported as such too`() async throws {
        let server = try TLSServer(certificates.identity(), demanding: certificates.authority, highest: "1.2")
        let others = try TestCertificates()
        let foreign = try others.credential(others.identity())
        #expect(
            await (try client(.certificate(Secret(foreign)))).post(server.url()) == .failed(.tls(.certificateRefused)))
    }

    @Test @DaemonActor func `a certificate without key and a key with a password are reported as such`() async throws {
        let server = try TLSServer(certificates.identity(), demanding: certificates.authority)
        let identity = try certificates.identity()
        let (other, locked) = try (certificates.identity(), certificates.locked(identity))
        let mixed = TestCertificates.Identity(certificate: identity.certificate, key: other.key)
        for wrong in [try certificates.credential(mixed), try certificates.credential(locked), "no PEM", ""] {
            #expect(
                await (try client(.certificate(Secret(wrong)))).post(server.url()) == .failed(.tls(.credentialUnusable))
            )
        }
    }

    @Test @DaemonActor func `a server that supports only an old version of TLS is refused`() async throws {
        let server = try TLSServer(certificates.identity(), highest: "1.1")
        #expect(await (try client()).post(server.url()) == .failed(.tls(.handshake)))
    }

    @Test @DaemonActor func `a server without TLS is reported as such`() async throws {
        let server = try ScriptedServer { _ in [] }
        defer { server.stop() }
        // The server does not reply to input that is no HTTP request, so the time limit of the connection ends the
        // attempt.
        let client = try HTTPClient(
            HTTPSettings(authorityFile: certificates.authority, connectTimeout: .milliseconds(300)))
        #expect(await client.post("https://127.0.0.1:\(server.port)/") == .failed(.connect))
    }
}
