import Glibc
import Interfaces
import JSONText
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// `waymark uploads` at a real daemon with a real uploader's process.
@Suite(.waits, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct UploadCommandTests {
    private let scene: UploaderScene

    init() throws { scene = try UploaderScene() }

    private func waymark(_ arguments: String...) throws -> CompletedProcess {
        try scene.daemon.waymark(["uploads"] + arguments)
    }

    /// An uploader that is attached, and a connection to report on.
    private func uploaders() throws -> (stream: AppClient, reports: AppClient) {
        let clients = (
            stream: try scene.uploader(),
            reports: try scene.uploader()
        )
        try clients.stream.begin(UploadsInterface.Method.attach.rawValue, #"{"name":"home"}"#, more: true)
        #expect(try clients.stream.next()?.parameters["isPaused"] == false)
        return clients
    }

    private func report(_ client: AppClient, _ status: String) throws {
        let reply = try client.call(
            UploadsInterface.Method.report.rawValue,
            #"{"name":"home","status":{"attempt":1,"sent":3,"rejected":0,\#(status)}}"#)
        #expect(reply.error == nil, "\(reply.parameters)")
    }

    @Test func `uploads are listed, paused, resumed and pushed`() throws {
        #expect(try waymark().output.hasPrefix("There are no uploads"))
        let (stream, reports) = try uploaders()
        try report(reports, #""state":"waitingForPath","reason":"noRoute""#)
        let table = try waymark().output
        #expect(table.contains("home  waiting for a path") && table.contains("home: no route leads there."), "\(table)")
        let object = try JSON.parse(Array(try waymark("--json").output.dropLast().utf8))
        #expect(KnownUpload(object)?.status.reason == "noRoute")

        #expect(try waymark("pause", "home").output == "home is paused, with 0 positions waiting.\n")
        #expect(try stream.next()?.parameters["isPaused"] == true)
        #expect(try waymark().output.contains("home  paused"))
        #expect(try waymark("resume", "home", "--app", "uploader").output.hasPrefix("home is resumed"))
        #expect(try stream.next()?.parameters["isPaused"] == false)
        #expect(try waymark("retry-rejected", "home").status == .exited(0))
        #expect(try stream.next()?.parameters["command"] == "retryRejected")
        #expect(try waymark("flush", "home", "--no-wait").status == .exited(0))
        #expect(try stream.next()?.parameters["command"] == "flush")

        let unknown = try waymark("pause", "work")
        #expect(unknown.status == .exited(1) && unknown.error.contains("There is no upload work"), "\(unknown.error)")
        #expect(try waymark("flush", "home", "--no-wait", "--timeout", "1").status == .exited(2))
        try stream.kill()
        #expect(try eventually { try waymark().output.contains("not running") })
        let refused = try waymark("flush", "home")
        #expect(refused.status == .exited(1) && refused.error.contains("does not run"), "\(refused.error)")
        let log = try scene.daemon.waymark("log", "--app", "uploader").output
        #expect(log.contains("upload paused") && log.contains("home: by operator root"), "\(log)")
        #expect(log.contains("home: no route leads there"))
    }

    @Test func `a watching command prints each change as an object`() throws {
        let (stream, reports) = try uploaders()
        let watcher = try ChildProcess(
            ChildProcess.Launch(
                try Products.program("waymark"), ["uploads", "--watch", "--json"],
                environment: scene.daemon.environment(), output: .pipe, error: .inherited, isGuarded: true))
        defer { watcher.signal(SIGKILL) }
        var bytes: [UInt8] = []
        func states() throws -> [String] {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            if try PollDeadline(seconds: 0.05).poll(watcher.outputPipe, for: POLLIN) {
                let count = read(watcher.outputPipe, &buffer, buffer.count)
                bytes += buffer.prefix(max(0, count))
            }
            let lines = bytes.prefix((bytes.lastIndex(of: 10) ?? -1) + 1).split(separator: 10)
            return try lines.compactMap { KnownUpload(try JSON.parse(Array($0)))?.status.state.rawValue }
        }
        #expect(try eventually { try states() == ["waitingForRecording"] })
        try report(reports, #""state":"sending""#)
        #expect(try eventually { try states().last == "sending" })
        withExtendedLifetime(stream) {}
    }

    @Test func `settings of destinations are checked without a daemon`() throws {
        let example = try waymark("example")
        #expect(example.status == .exited(0) && example.output.contains("[Destination]"))
        let file = try scene.apps.directory.write(
            "home.conf", "[Destination]\nURL=http://tracker.example.org/\nFromat=geojson\n")
        let wrong = try waymark("check", file)
        #expect(wrong.status == .exited(1))
        #expect(wrong.output.contains("\(file):3: [Destination] Fromat: unknown"), "\(wrong.output)")
        let objects = try waymark("check", "--json", file).output.split(separator: "\n")
        #expect(try JSON.parse(Array(try #require(objects.first).utf8))["line"] == 3)
        try scene.apps.directory.write("home.conf", "[Destination]\nURL=https://tracker.example.org/\nFormat=geojson\n")
        let right = try waymark("check", file)
        #expect(right.status == .exited(0) && right.error == "1 file: no problems.\n", "\(right.error)")
        #expect(try waymark("check", scene.apps.directory.file("none.conf")).status == .exited(1))
    }
}
