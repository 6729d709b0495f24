import Glibc
import Platform
import Replay
import TestClients
import TestSupport
import TestTraits
import Testing

/// Another user who tries to read a replay: by gpsd's socket, its shared memory and the terminal that it reads.
@Suite(.waits, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct ReplayedPositionsTests {
    private struct Scene {
        let directory: TemporaryDirectory
        let session: ReplaySession
        let client: LineClient

        init() throws {
            let directory = try TemporaryDirectory()
            try retrying("chmod", subject: directory.path) { chmod(directory.path, 0o700) }
            self.directory = directory
            let recording = try RecordingFile(path: try Products.fixture("drive.nmea"))
            session = try ReplaySession(recording, pace: .times(20), loops: true, socket: directory.file("gpsd.sock"))
            client = try LineClient(at: session.gpsd.place)
            try client.send("?WATCH={\"enable\":true,\"json\":true};")
        }

        /// Plays until its own client has had a position.
        func playUntilPosition() throws {
            let deadline = PollDeadline(seconds: 60)
            while !deadline.hasPassed {
                _ = try session.step()
                let report = try client.line(containing: "\"lat\":", before: PollDeadline(seconds: 0.02))
                if report != nil { return }
            }
            Issue.record("no position: \(session.gpsd.lastOutput())")
        }
    }

    @Test func `no other user can read a replay`() throws {
        let scene = try Scene()
        defer { do { try scene.session.stop() } catch { Issue.record(error) } }
        try scene.playUntilPosition()
        let path = scene.directory.file("gpsd.sock")
        #expect(scene.session.gpsd.address == "unix:\(path)")

        let socket = Result { try OtherUser.connect(to: path).close() }
        #expect(throws: SystemError.self) { try socket.get() }
        let terminal = try OtherUser.act { open(scene.session.device, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) }
        #expect(terminal < 0, "another user opened the terminal that gpsd reads")
        if terminal >= 0 { close(terminal) }

        // It listens on no port, and its segment of shared memory is none.
        let own = "\(scene.session.gpsd.processID)"
        for table in ["/proc/\(own)/net/tcp", "/proc/\(own)/net/tcp6"] {
            let text = String(decoding: try BoundedFile.bytes(of: table, limit: 4 << 20), as: UTF8.self)
            let listening = Set(
                text.split(separator: "\n").dropFirst().compactMap { line -> String? in
                    let columns = line.split(separator: " ")
                    return columns.count > 9 && columns[3] == "0A" ? "socket:[\(columns[9])]" : nil
                })
            #expect(try Self.descriptors(of: own).isDisjoint(with: listening), "gpsd listens on a port")
        }
        let segments = String(decoding: try BoundedFile.bytes(of: "/proc/sysvipc/shm", limit: 4 << 20), as: UTF8.self)
        for line in segments.split(separator: "\n").dropFirst() {
            let columns = line.split(separator: " ")
            guard columns.count > 5, columns[4] == own || columns[5] == own else { continue }
            // The data that gpsd exports for a time service contain no position.
            #expect(Int(columns[3]).map { $0 < 1_000 } == true, "gpsd exports positions: \(line)")
        }
    }

    /// The targets of a process's descriptors.
    private static func descriptors(of process: String) throws -> Set<String> {
        let list = try CompletedProcess.run("/bin/ls", ["-l", "/proc/\(process)/fd"])
        return Set(list.output.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) })
    }
}
