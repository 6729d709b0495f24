import Glibc
import Interfaces
import JSONText
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink
import Waymark

/// Starting, stopping and configuring the daemon, and the mistakes that it refuses.
@Suite(.waits) struct StartupTests {
    private func run(_ arguments: [String], seconds: Double = 60) throws -> CompletedProcess {
        try CompletedProcess.run(try Products.program("waymarkd"), arguments + ["--gpsd", "none"], seconds: seconds)
    }

    private func entries(_ daemon: DaemonProcess) throws -> [JournalEntry] {
        let client = try Client(path: daemon.socketPath, timeout: .seconds(60))
        return try client.call(JournalInterface.Read(), timeout: .seconds(60)).events
    }

    private func reload(_ daemon: DaemonProcess) throws(VarlinkError) -> JSON {
        let client = try Client(path: daemon.socketPath, timeout: .seconds(60))
        return try client.call(ManageInterface.Method.reload.rawValue, timeout: .seconds(60))
    }

    private func note(_ text: String, _ daemon: DaemonProcess) throws(VarlinkError) -> JSON {
        let client = try Client(path: daemon.socketPath, timeout: .seconds(60))
        return try client.call(JournalInterface.Method.note.rawValue, ["text": .string(text)], timeout: .seconds(60))
    }

    // Configuration

    @Test(
        arguments: [
            ("[Receiver]\nStaleAfter=soon\n", 2, "StaleAfter"), ("[Nonsense]\nA=1\n", 1, "Nonsense"),
            ("\n[Log]\nLevle=info\n", 3, "Levle"), ("[Socket]\nMode=9\n", 2, "Mode"),
        ])
    func `a bad configuration starts nothing and names its line`(text: String, line: Int, word: String) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("bad.conf", text)
        let socket = directory.file("waymark.sock")
        let result = try run(["--config", file, "--socket", socket, "--state-directory", directory.file("state")])
        #expect(result.status == .exited(1))
        let problem = result.error.split(separator: "\n").first { $0.contains("\(file):\(line):") }
        #expect(problem?.contains(word) == true, "\(result.error)")
        #expect(access(socket, F_OK) != 0)
        #expect(access(directory.file("state"), F_OK) != 0)
    }

    @Test func `with a missing configuration file the daemon does not start`() throws {
        let directory = try TemporaryDirectory()
        let result = try run(
            ["--config", directory.file("none.conf"), "--socket", directory.file("waymark.sock")])
        #expect(result.status == .exited(1))
        #expect(result.error.contains("none.conf"), "\(result.error)")
    }

    @Test func `after a bad reload the old settings stay in effect, and a good one applies`() throws {
        let directory = try TemporaryDirectory()
        let daemon = try DaemonProcess(
            in: directory, configuration: "[Receiver]\nReleaseAfter=3s\n[Socket]\nMaximumConnections=10\n")
        try directory.write("waymark.conf", "[Receiver]\nReleaseAfter=4s\nMaximumSpeed=fast\n")
        do throws(VarlinkError) {
            _ = try reload(daemon)
            Issue.record("a bad configuration was accepted")
        } catch {
            guard case .reply(let name, let parameters) = error else { throw error }
            #expect(name == ErrorName.manageConfigurationInvalid.rawValue)
            let problems = parameters["problems"]?.arrayValue?.compactMap(\.stringValue) ?? []
            #expect(problems.count == 1)
            #expect(problems.first?.contains("waymark.conf:3:") == true, "\(problems)")
        }
        // No setting of the bad reload was applied: the same values again are no change.
        try directory.write("waymark.conf", "[Receiver]\nReleaseAfter=3s\n[Socket]\nMaximumConnections=10\n")
        #expect(try reload(daemon)["changed"] == [])
        try directory.write("waymark.conf", "[Receiver]\nReleaseAfter=4s\n[Socket]\nMode=0600\n")
        let applied = try reload(daemon)
        #expect(applied["changed"] == ["Receiver.ReleaseAfter", "Socket.Mode", "Socket.MaximumConnections"])
        #expect(applied["needsRestart"] == ["Socket.Mode"])
        #expect(try entries(daemon).filter { $0.kind == "configurationReloaded" }.count == 2)
    }

    @Test func `a new log level applies from the reload on`() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("waymark.conf", "[Log]\nLevel=error\n")
        let log = directory.file("log")
        let output = try OwnedDescriptor("open", subject: log) { open(log, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
        let socket = directory.file("waymark.sock")
        // Without --log-level, which would win over the file.
        let process = try ChildProcess(
            ChildProcess.Launch(
                try Products.program("waymarkd"),
                ["--config", file, "--socket", socket, "--state-directory", directory.file("state"), "--gpsd", "none"],
                error: .descriptor(output.number), isGuarded: true))
        let client = WaymarkClient(socketPath: socket)
        func isAnswered() -> Bool {
            do throws(WaymarkError) { _ = try client.status() } catch { return false }
            return true
        }
        try #require(eventually { isAnswered() })
        #expect(lseek(output.number, 0, SEEK_END) == 0)
        try directory.write("waymark.conf", "[Log]\nLevel=notice\n")
        #expect(try client.call(ManageInterface.Method.reload.rawValue)["changed"] == ["Log.Level"])
        #expect(lseek(output.number, 0, SEEK_END) > 0)
        #expect(try process.terminate(graceSeconds: 60) == .exited(0))
    }

    // One daemon each

    @Test func `a second daemon on one socket or one state directory is refused, and the first continues`() throws {
        let daemon = try DaemonProcess()
        let directory = daemon.directory
        let sameSocket = try run(["--socket", daemon.socketPath, "--state-directory", directory.file("other")])
        #expect(sameSocket.status == .exited(1))
        #expect(sameSocket.error.contains("another daemon listens on \(daemon.socketPath)"), "\(sameSocket.error)")

        let sameState = try run(
            ["--socket", directory.file("second.sock"), "--state-directory", directory.file("state")])
        #expect(sameState.status == .exited(1))
        #expect(sameState.error.contains("another daemon uses it"), "\(sameState.error)")

        #expect(try note("still here", daemon)["sequence"]?.integerValue != nil)
        #expect(try daemon.stop() == .exited(0))
    }

    @Test func `a socket in a folder that does not exist is refused with the next step`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("missing/waymark.sock")
        let result = try run(["--socket", path, "--state-directory", directory.file("state")])
        #expect(result.status == .exited(1))
        #expect(result.error.contains("the folder of \(path) does not exist"), "\(result.error)")
    }

    @Test func `a daemon that stops removes its socket's file`() throws {
        let daemon = try DaemonProcess()
        #expect(access(daemon.socketPath, F_OK) == 0)
        #expect(try daemon.stop() == .exited(0))
        #expect(access(daemon.socketPath, F_OK) != 0)
    }

    @Test func `a file that is no socket is not replaced by one`() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("precious", "x")
        let result = try run(["--socket", file, "--state-directory", directory.file("state")])
        #expect(result.status == .exited(1))
        #expect(result.error.contains(file), "\(result.error)")
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_size == 1)
    }

    @Test func `a socket left over by a crash is replaced`() throws {
        let daemon = try DaemonProcess()
        _ = try note("before the crash", daemon)
        daemon.signal(SIGKILL)
        #expect(try daemon.wait() == .killed(signal: SIGKILL))
        #expect(access(daemon.socketPath, F_OK) == 0)
        try daemon.restart()
        #expect(try entries(daemon).map(\.kind) == ["serviceStarted", "note", "serviceStarted"])
    }

    // State directory

    @Test
    func `without a state directory positions are served, and the journal's status has the reason of its failure`()
        throws
    {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let directory = try TemporaryDirectory()
        // A file where the directory should be: root may write everywhere else.
        try directory.write("state", "x")
        let daemon = try DaemonProcess(in: directory, gpsd: receiver.address, more: ["--simulated"])
        let client = WaymarkClient(socketPath: daemon.socketPath)
        #expect(try eventually { try client.status().journal.state == .failed })
        let status = try client.status()
        #expect(status.health == "journalFailed")
        #expect(status.journal.reason?.contains("Not a directory") == true, "\(status.journal)")
        #expect(try client.position().isSimulated)
        do throws(VarlinkError) {
            _ = try note("nowhere to go", daemon)
            Issue.record("a note was acknowledged without a journal")
        } catch {
            guard case .reply(let name, _) = error else { throw error }
            #expect(name == ErrorName.journalJournalUnavailable.rawValue)
        }
        let stopped = try daemon.stop()
        #expect(stopped == .exited(0), "\(daemon.log)")
    }

    // Stop

    @Test(arguments: [SIGTERM, SIGINT])
    func `a signal stops the daemon while clients have streams, and the journal records it`(_ number: Int32) throws {
        let daemon = try DaemonProcess()
        // A stream and a follower are open meanwhile, and neither delays the stop.
        let reader = try UpdateReader(daemon.socketPath)
        defer { reader.stop() }
        let follower = try Client(path: daemon.socketPath, timeout: .seconds(60))
        let events = try follower.stream(JournalInterface.Method.read.rawValue, ["follow": true])
        #expect(try events.next(timeout: .seconds(60)) != nil)
        #expect(reader.firstLoss("noReceiver") != nil)

        let asked = SystemClock().monotonicNanoseconds
        daemon.signal(number)
        #expect(try daemon.wait() == .exited(0))
        // A stop that waits for its time limit needs ten seconds.
        #expect(SystemClock().monotonicNanoseconds - asked < 10_000_000_000)
        #expect(eventually { reader.ending != nil })
        try daemon.restart()
        let kinds = try entries(daemon).map(\.kind)
        #expect(kinds == ["serviceStarted", "serviceStopped", "serviceStarted"])
        let reason = try entries(daemon)[1].details["reason"]
        #expect(reason == .string(number == SIGTERM ? "SIGTERM" : "SIGINT"))
    }
}
