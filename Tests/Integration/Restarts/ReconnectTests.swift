import Glibc
import JSONText
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink
import Waymark

/// Commands and programs whose connection is lost: there is no service manager here that stores it.
@Suite(.waits) struct ReconnectTests {
    private let daemon: DaemonProcess

    init() throws { daemon = try DaemonProcess() }

    /// A command that does not end by itself.
    private func start(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(
            ChildProcess.Launch(
                try Products.program("waymark"), arguments + ["--socket", daemon.socketPath],
                environment: ["PATH": "/usr/bin:/bin"], output: .pipe, error: .pipe, isGuarded: true))
    }

    @Test func `a followed journal continues after its last event`() throws {
        let command = try start(["log", "-f", "--json", "--lines", "1000"])
        var (text, remarks) = ("", "")
        for round in 1...4 {
            if round > 1 { try daemon.restart() }
            try PipeText.read(command.outputPipe, into: &text) {
                $0.hasSuffix("\n") && $0.split(separator: #""kind":"serviceStarted""#).count > round
            }
            if round > 1 {
                try PipeText.read(command.errorPipe, into: &remarks) {
                    $0.split(separator: "Reconnecting").count >= round
                }
            }
        }
        let sequences = try text.split(separator: "\n").map {
            try JSON.parse(Array($0.utf8))["sequence"]?.integerValue ?? 0
        }
        #expect(sequences.count >= 4 && sequences == Array(1...Int64(max(1, sequences.count))))
        #expect(remarks.split(separator: "\n").count == 3, "\(remarks)")
        command.signal(SIGINT)
        #expect(try command.wait(seconds: 60) == .exited(130))
    }

    @Test(arguments: [["log", "-f"], ["status", "--watch"], ["watch"], ["uploads", "--watch"], ["path", "--watch"]])
    func `a command without reconnection ends with the connection`(_ words: [String]) throws {
        let command = try ChildProcess(
            ChildProcess.Launch(
                try Products.program("waymark"), words + ["--no-reconnect", "--socket", daemon.socketPath],
                environment: ["PATH": "/usr/bin:/bin"], output: .null, error: .pipe, isGuarded: true))
        let manage = try OperatorClient(daemon)
        // Its connection, beside this one.
        let isConnected = try eventually {
            (try manage.call(.status)["status"]?["clients"]?["connections"]?.integerValue ?? 0) >= 2
        }
        #expect(isConnected)
        try daemon.stop()
        #expect(try command.wait(seconds: 60) == .exited(3))
    }

    @Test(arguments: [["status", "--watch", "--json"], ["watch", "--json"], ["path", "--watch", "--json"]])
    func `a continuous command prints the current state again`(_ words: [String]) throws {
        let command = try start(words)
        // Without a receiver `watch` has remarks only.
        let output = words[0] == "watch" ? command.errorPipe : command.outputPipe
        var text = ""
        try PipeText.read(output, into: &text) { !$0.isEmpty }
        let before = text.utf8.count
        try daemon.restart()
        try PipeText.read(output, into: &text) { $0.utf8.count > before + 60 }
        #expect(text.utf8.count > before)
        command.signal(SIGINT)
        #expect(try command.wait(seconds: 60) == .exited(130))
    }

    @Test func `a daemon that ends during the query of its protocol is waited for`() async throws {
        let path = daemon.directory.file("other.sock")
        let ending = try UnixSocket.listen(path: path, mode: 0o600)
        let command = try ChildProcess(
            ChildProcess.Launch(
                try Products.program("waymark"), ["watch", "--distance", "10", "-n", "1", "--json", "--socket", path],
                environment: ["PATH": "/usr/bin:/bin"], output: .pipe, error: .pipe, isGuarded: true))
        try #require(try PollDeadline(seconds: 60).poll(ending.number, for: POLLIN))
        _ = Glibc.close(try #require(try UnixSocket.accept(ending.number)?.release()))
        ending.close()
        SocketPath.free(path)
        let update: JSON = [
            "position": [
                "timestamp": 1, "latitude": 1, "longitude": 1, "horizontalAccuracy": 3, "accuracy": "full",
                "isSimulated": true,
            ], "authorizationStatus": "authorizedAlways", "accuracyAuthorization": "full", "diagnostics": [],
            "stationary": false, "dropped": 0,
        ]
        let info = ServiceInfo(
            vendor: "Waymark", product: "waymarkd", version: WaymarkVersion.text, url: "https://varlink.org",
            protocolNumber: WaymarkVersion.protocolNumber)
        let other = try await OtherDaemon.start(
            at: path, info, interfaces: [WaymarkInterface.location.text],
            answers: [LocationInterface.Method.monitor.rawValue: ["update": update]])
        var text = ""
        try PipeText.read(command.outputPipe, into: &text) { $0.hasSuffix("\n") }
        #expect(text.contains("horizontalAccuracy"))
        #expect(try command.wait(seconds: 60) == .exited(0))
        await other.stop()
    }

    @Test func `a program's sequence continues`() async throws {
        var iterator = WaymarkClient(socketPath: daemon.socketPath).updates().makeAsyncIterator()
        #expect(try await iterator.next() != nil)
        try daemon.restart()
        #expect(try await iterator.next() != nil, "the sequence ended with the connection")
    }
}
