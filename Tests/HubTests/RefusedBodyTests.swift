import Hub
import Interfaces
import JSONText
import Platform
import TestHubs
import TestSupport
import TestTraits
import Testing

/// Answers to long bodies that are refused, which clients read that send everything before they read.
@Suite(.waits, .timeLimit(.minutes(15)), .enabled(if: TLSServer.isPossible, "needs Python 3 and openssl"))
struct RefusedBodyTests {
    /// Much more than a connection has room for, and than the hub receives before it answers.
    private static let bytes = 24 << 20
    /// Sends the head that it is given and then the body, and prints what comes back until there is a whole head.
    private static let client = """
        import socket, ssl, sys
        port, authority, size, head = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
        connection = socket.create_connection(("127.0.0.1", port), 60)
        if authority:
            connection = ssl.create_default_context(cafile=authority).wrap_socket(
                connection, server_hostname="localhost")
        connection.sendall(head.encode())
        piece = bytes(65536)
        for _ in range(size // len(piece)):
            connection.sendall(piece)
        answer = b""
        while b"\\r\\n\\r\\n" not in answer:
            part = connection.recv(65536)
            if not part:
                break
            answer += part
        print(answer.decode())
        """

    /// A hub with a zone of a phone's account.
    private struct Scene {
        let hub: HubProcess
        /// The certificate that clients trust; nil without TLS.
        let authority: String?
        private(set) var token = ""

        init(withTLS: Bool) throws {
            hub = try HubProcess(more: withTLS ? [] : ["--without-tls"])
            authority = withTLS ? hub.folder.file("hub/certificate.pem") : nil
            let invitation = try hub.call(HubInterface.Invite(account: "alice", device: "phone", seconds: nil))
            let code = invitation.code.prefix { $0 != "." }
            token = try #require(try post("/v1/join", #"{"code":"\#(code)"}"#)["token"]?.stringValue)
            _ = try post(
                "\(HubDevice.container)/private/zones", #"{"save":["notes"]}"#,
                [authorization, "Idempotency-Key: zone"])
        }

        var authorization: String { "Authorization: Bearer \(token)" }

        private func post(_ path: String, _ body: String, _ headers: [String] = []) throws -> JSON {
            let run = try CompletedProcess.run(
                "/usr/bin/curl",
                ["-sSf", "--max-time", "20", "-d", body] + headers.flatMap { ["-H", $0] }
                    + (authority.map { ["--cacert", $0] } ?? [])
                    + ["\(authority == nil ? "http" : "https")://localhost:\(hub.port)\(path)"])
            try #require(run.status == .exited(0), "\(run.error)")
            return try JSON.parse(Array(run.output.utf8))
        }

        /// What a client reads that has sent all of a long body before.
        func answer(_ method: String, _ path: String, _ headers: [String]) throws -> String {
            let bytes = RefusedBodyTests.bytes
            let lines = ["\(method) \(path) HTTP/1.1", "Host: localhost", "Content-Length: \(bytes)"] + headers
            let head = lines.joined(separator: "\r\n") + "\r\n\r\n"
            let run = try CompletedProcess.run(
                "/usr/bin/python3",
                ["-c", RefusedBodyTests.client, "\(hub.port)", authority ?? "", "\(bytes)", head], seconds: 60)
            #expect(run.status == .exited(0), "\(run.error.suffix(300))")
            return run.output
        }
    }

    @Test(arguments: [false, true]) func `the answer is read, whoever sends the body and why it is refused`(
        withTLS: Bool
    ) throws {
        let scene = try Scene(withTLS: withTLS)
        let notes = "\(HubDevice.container)/zones/alice/notes"
        let part = try scene.answer(
            "PATCH", "\(notes)/assets/\(String(repeating: "ab", count: 32))",
            [scene.authorization, "Upload-Offset: 5", "Upload-Length: \(Self.bytes + 5)"])
        #expect(part.hasPrefix("HTTP/1.1 409 ") && part.contains("Upload-Offset: 0"), "\(part)")
        let long = try scene.answer("POST", "\(notes)/records", [scene.authorization, "Idempotency-Key: long"])
        #expect(long.hasPrefix("HTTP/1.1 413 "), "\(long)")
        let anonymous = try scene.answer("POST", "/v1/join", [])
        #expect(anonymous.hasPrefix("HTTP/1.1 413 "), "\(anonymous)")
        let forged = try scene.answer(
            "POST", "\(notes)/records", ["Authorization: Bearer \(String(repeating: "00", count: 32))"])
        #expect(forged.hasPrefix("HTTP/1.1 401 "), "\(forged)")
    }
}
