import Glibc
import Platform
import TestSupport
import TestTraits
import Testing

/// Commands whose call the daemon receives and does not reply to, when the person presses Ctrl-C.
@Suite(.waits, .timeLimit(.minutes(15)))
struct SilentDaemonTests {
    @Test(arguments: [
        ["agent", "--json"], ["path", "--watch"], ["status", "--watch"],
        ["regions", "import", "--monitor", "depot", "FILE"],
    ])
    func `Ctrl-C ends the wait for a reply`(arguments: [String]) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(
            "depot.geojson",
            #"""
            {"type": "Feature", "id": "yard", "properties": {"radius": 100},
             "geometry": {"type": "Point", "coordinates": [7.5, 47.5]}}
            """#)
        let path = directory.file("socket")
        let listener = try UnixSocket.listen(path: path, mode: 0o600)
        let process = try ChildProcess(
            ChildProcess.Launch(
                try Products.program("waymark"), arguments.map { $0 == "FILE" ? file : $0 },
                environment: ["PATH": "/usr/bin:/bin", "WAYMARK_SOCKET": path, "LC_ALL": "C.UTF-8"], output: .pipe,
                error: .pipe))
        let deadline = PollDeadline(seconds: 60)
        try #require(try deadline.poll(listener.number, for: POLLIN), "no connection in time")
        let connection = try OwnedDescriptor("accept") { accept(listener.number, nil, nil) }
        try #require(try deadline.poll(connection.number, for: POLLIN), "no call in time")
        process.signal(SIGINT)
        #expect(try process.wait(seconds: 60) == .exited(130))
    }
}
