import Glibc
import Interfaces
import JSONText
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// State of an earlier process that cannot be used.
@Suite(.waits, .serialized, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct StateFlawTests {
    private let scene: RestorationScene

    init() throws { scene = try RestorationScene() }

    /// The flaws of a file.
    enum Flaw: String, CaseIterable {
        case garbage, truncated, newer, openToOthers, anotherUsers, link, directory
    }

    @Test(arguments: ["continuation.state", "reduced.state"], Flaw.allCases)
    func `an unusable state file is set aside and reported, and does no harm`(_ name: String, _ flaw: Flaw)
        throws
    {
        defer { scene.receiver.stop() }
        // Every user with write access to the daemon's directory is trusted.
        if name == "reduced.state", flaw == .openToOthers || flaw == .link || flaw == .anotherUsers { return }
        let daemon = try scene.daemon()
        _ = try daemon.stop()
        let path = scene.apps.directory.file("state/\(name)")
        unlink(path)
        let signature = name == "reduced.state" ? "WMRED" : "WMCON"
        switch flaw {
        case .garbage: try scene.apps.directory.write("state/\(name)", "no state at all")
        case .truncated: try scene.apps.directory.write("state/\(name)", "\(signature) 1\n")
        case .newer: try scene.apps.directory.write("state/\(name)", "\(signature) 2\n")
        case .openToOthers, .anotherUsers: try scene.apps.directory.write("state/\(name)", "")
        case .link: try retrying("link") { symlink("/dev/null", path) }
        case .directory: try retrying("make") { mkdir(path, 0o700) }
        }
        if flaw != .link, flaw != .directory {
            try retrying("chmod", subject: path) { chmod(path, flaw == .openToOthers ? 0o666 : 0o600) }
        }
        if flaw == .anotherUsers {
            try retrying("chown", subject: path) { chown(path, OtherUser.nobody, gid_t(OtherUser.nobody)) }
        }
        try daemon.restart()
        // Reduced accuracy is read when the journal is open.
        let isReported = try eventually { try !scene.events(daemon.socketPath, "stateSetAside").isEmpty }
        #expect(isReported, "\(daemon.log)")
        let event = try #require(try scene.events(daemon.socketPath, "stateSetAside").first)
        let details = event.details
        #expect(details["file"]?.stringValue == name && details["aside"]?.stringValue == "\(name).damaged-1")
        var status = stat()
        #expect(lstat("\(path).damaged-1", &status) == 0)
        #expect(daemon.log.contains("unreadable state set aside: file=\(name)"), "\(daemon.log)")
        let app = try scene.allowedOnce(daemon.socketPath)
        #expect(try app.call(LocationInterface.Method.getPosition.rawValue).error == nil)
        // Once is enough.
        daemon.signal(SIGKILL)
        _ = try daemon.wait()
        try daemon.restart()
        #expect(try RawConnection(daemon.socketPath).isAnswered)
        #expect(try scene.events(daemon.socketPath, "stateSetAside").count == 1)
    }

    @Test(arguments: ["garbage", "truncated", "newer"])
    func `connections whose stored state is unreadable are ended, and new ones survive restarts`(
        _ flaw: String
    ) throws {
        defer { scene.receiver.stop() }
        let host = try scene.host()
        let lost = try StreamLog(host.socketPath, LocationInterface.Method.monitorAuthorization.rawValue)
        #expect(eventually { !lost.replies.isEmpty })
        try host.kill(SIGTERM)
        try host.spoilHandover(flaw)
        try host.start()
        #expect(eventually { lost.ending != nil }, "\(host.log)")
        #expect(try eventually { try scene.events(host.socketPath, "stateSetAside").count == 1 }, "\(host.log)")
        let retained = try StreamLog(host.socketPath, LocationInterface.Method.monitorAuthorization.rawValue)
        #expect(eventually { !retained.replies.isEmpty })
        try host.restart(SIGTERM)
        let journal = try StreamLog(host.socketPath, JournalInterface.Method.read.rawValue, #"{"follow":true}"#)
        #expect(eventually { !journal.replies.isEmpty })
        #expect(retained.ending == nil)
        retained.stop()
        journal.stop()
    }
}
