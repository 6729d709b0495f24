import Glibc
import Platform
import TestSupport
import TestTraits
import Testing

@Suite(.waits) struct ServerProcessTests {
    private static let recording = "3f2b1a00-0000-4000-8000-0123456789ab"

    private static func post(
        _ path: String, number: Int, to server: UploadServerProcess
    ) throws -> HTTPResponse? {
        let body = #"{"_type":"location","_id":"\#(recording)/\#(number)","lat":1,"lon":2,"tst":3}"#
        return try HTTPExchange.perform("POST", path, body: Array(body.utf8), port: server.port)
    }

    @Test func `acknowledged points are still known after the server was killed`() throws {
        let server = try UploadServerProcess()
        for number in 1...20 {
            #expect(try Self.post("/owntracks", number: number, to: server)?.status == 200)
        }
        try server.kill()
        #expect(try Self.post("/owntracks", number: 21, to: server) == nil)
        #expect(try server.storedIDs() == (1...20).map { "\(Self.recording)/\($0)" })
        try server.restart()
        for number in 20...22 {
            #expect(try Self.post("/owntracks", number: number, to: server)?.body == "[]")
        }
        let summary = try server.stop()
        #expect(summary["distinct"]?.integerValue == 22)
        #expect(summary["duplicates"]?.integerValue == 1)
        #expect(summary["recordings"]?[0]?["missing"]?.integerValue == 0)
        #expect(try server.storedIDs().count == 22)
    }

    @Test func `a lost response is no loss: the point is stored`() throws {
        let server = try UploadServerProcess(more: ["--fail", "drop-stored", "--every", "2"])
        #expect(try Self.post("/owntracks", number: 1, to: server)?.status == 200)
        #expect(try Self.post("/owntracks", number: 2, to: server) == nil)
        #expect(try Self.post("/owntracks", number: 2, to: server)?.status == 200)
        let summary = try server.stop()
        #expect(summary["distinct"]?.integerValue == 2)
        #expect(summary["duplicates"]?.integerValue == 1)
    }

    @Test func `a response can be delayed, and a server with delayed responses ends at once`() throws {
        let server = try UploadServerProcess(more: ["--delay", "0.2"])
        let clock = SystemClock()
        let begin = clock.monotonicNanoseconds
        #expect(try Self.post("/owntracks", number: 1, to: server)?.status == 200)
        #expect(clock.monotonicNanoseconds - begin >= 200_000_000)
        _ = try server.stop()
        try server.restart()
    }

    @Test func `the server listens on a passed socket, or on loopback only`() throws {
        let server = try UploadServerProcess()
        let digits = String(server.port, radix: 16, uppercase: true)
        let table = String(decoding: try BoundedFile.bytes(of: "/proc/net/tcp", limit: 16 << 20), as: UTF8.self)
        let port = String(repeating: "0", count: 4 - digits.count) + digits
        // State 0A is LISTEN; addresses are in host byte order.
        var listening: [String] = []
        for line in table.split(separator: "\n") {
            let columns = line.split(separator: " ").map(String.init)
            if columns.count > 3, columns[3] == "0A", columns[1].hasSuffix(":\(port)") { listening.append(columns[1]) }
        }
        #expect(listening == ["0100007F:\(port)"])
        _ = try server.stop()
    }

    @Test(.enabled(if: TestCertificates.isPossible, "openssl(1) is missing"))
    func `the server uses TLS with the given certificate`() throws {
        let certificates = try TestCertificates()
        let directory = try TemporaryDirectory()
        let identity = try directory.write(
            "identity.pem", try certificates.credential(certificates.identity()))
        let held = try LoopbackPort()
        let port = held.number
        let server = try ChildProcess(
            ChildProcess.Launch(
                try Products.program("waymark-upload-test-server"), ["--port", "\(port)", "--tls", identity],
                output: .pipe, isGuarded: true))
        #expect(try PollDeadline(seconds: 20).poll(server.outputPipe, for: POLLIN))
        let client = """
            import ssl, sys, urllib.request
            trust = ssl.create_default_context(cafile=sys.argv[2])
            body = b'{"_type":"location","lat":1,"lon":2,"tst":3}'
            request = urllib.request.Request(f"https://127.0.0.1:{sys.argv[1]}/owntracks", body)
            print(urllib.request.urlopen(request, context=trust, timeout=10).status)
            """
        let run = try CompletedProcess.run("/usr/bin/python3", ["-c", client, "\(port)", certificates.authority])
        #expect(run.output == "200\n", "\(run.error)")
        // Without TLS there is no response.
        #expect(try HTTPExchange.perform("GET", "/", port: port) == nil)
        #expect(try server.terminate(graceSeconds: 60) == .exited(0))
    }

    @Test func `waymark upload-test-server is that program, with the same arguments`() throws {
        let program = [try Products.program("waymark"), "upload-test-server"]
        let server = try UploadServerProcess(more: ["--fail", "418"], program: program)
        #expect(try Self.post("/owntracks", number: 1, to: server)?.status == 418)
        _ = try server.stop()
        let wrong = try CompletedProcess.run(program[0], ["upload-test-server", "--fail", "nonsense"])
        #expect(wrong.status == .exited(2))
        #expect(wrong.error.contains("waymark-upload-test-server: --fail takes a status"))
        let help = try CompletedProcess.run(program[0], ["help", "upload-test-server"])
        #expect(help.status.isSuccess && help.output.contains("waymark upload-test-server --help"))
    }
}
