import CSystemd
import Glibc
import TestSupport
import TestTraits
import Testing

@testable import Platform

// One after the other, because two of them have the kernel give the number of an ended process to the next one.
@Suite(.waits, .serialized) final class PeerEvidenceTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let listener: OwnedDescriptor

    init() throws {
        directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        path = directory.file("peer.sock")
        listener = try UnixSocket.listen(path: path, mode: 0o666)
    }

    private func accept(kernelBinds: Bool = true) throws -> PeerIdentity {
        let accepted = try #require(try UnixSocket.accept(listener.number)?.release())
        defer { close(accepted) }
        return try PeerIdentity(socket: accepted, kernelBinds: kernelBinds)
    }

    @Test(.enabled(if: OtherUser.isPossible, "only root can be somebody else"), arguments: [true, false])
    func `a peer of another user is found with its user and program`(kernelBinds: Bool) throws {
        var script = PeerProcess.Script()
        script.user = OtherUser.nobody
        let peer = try PeerProcess(connectingTo: path, script)
        let evidence = try #require(try accept(kernelBinds: kernelBinds).evidence())
        #expect(evidence.processID == peer.processID)
        #expect(evidence.userID == OtherUser.nobody)
        #expect(evidence.program == ProgramEvidence.of(processID: getpid()))
        if case .unknown(let reason) = evidence.program { Issue.record("its program \(reason)") }
        #expect(evidence.controlGroup == (try controlGroup(of: getpid())))
        #expect(evidence.listener == nil)
    }

    @Test func `a peer that is looked up by its number says so`() throws {
        let peer = try PeerProcess(connectingTo: path)
        let identity = try accept(kernelBinds: false)
        #expect(identity.isRacy)
        #expect(identity.evidence()?.isRacy == true)
        #expect(identity.evidence(listener: "map")?.listener == "map")
        peer.end()
        #expect(identity.evidence() == nil)
    }

    @Test(arguments: [true, false])
    func `a peer that is killed before it is accepted is not identified`(kernelBinds: Bool) throws {
        let peer = try PeerProcess(connectingTo: path)
        peer.end()
        let identity = try accept(kernelBinds: kernelBinds)
        #expect(!identity.isAlive)
        #expect(identity.evidence() == nil)
        #expect(identity.controlGroup == nil)
    }

    @Test func `a peer that is killed after it was accepted is no longer identified`() throws {
        let peer = try PeerProcess(connectingTo: path)
        let identity = try accept()
        #expect(identity.evidence() != nil)
        peer.end()
        #expect(identity.evidence() == nil)
    }

    @Test func `a peer that becomes another program is that program, and still the same process`() throws {
        var script = PeerProcess.Script()
        script.program = "/bin/sleep"
        let peer = try PeerProcess(connectingTo: path, script)
        let identity = try accept()
        let sleep = ProgramEvidence.file(try #require(realPath("/bin/sleep")))
        #expect(eventually { identity.evidence()?.program == sleep })
        #expect(identity.processID == peer.processID)
        let other = try PeerProcess(connectingTo: path)
        #expect(try accept().evidence()?.program != sleep)
        other.end()
    }

    @Test func `a connection that is passed on still belongs to the process that made it`() throws {
        var script = PeerProcess.Script()
        script.passesConnection = true
        let peer = try PeerProcess(connectingTo: path, script)
        #expect(peer.passed >= 0)
        let identity = try accept()
        #expect(identity.evidence()?.processID == peer.processID)
        // The holder of the connection is running and its maker is not, so it belongs to no process any more.
        peer.end()
        #expect(fcntl(peer.passed, F_GETFD) >= 0)
        #expect(identity.evidence() == nil)
    }

    @Test(
        .enabled(
            if: OtherUser.isPossible && Capability.administer.isHeld
                && access("/proc/sys/kernel/ns_last_pid", W_OK) == 0,
            "the number of the next process cannot be chosen here"))
    func `a process that takes the number of one that ended is not taken for it`() throws {
        // Others start processes meanwhile: it is tried until the number is had.
        for _ in 0..<200 {
            let peer = try PeerProcess(connectingTo: path)
            let number = peer.processID
            peer.end()
            let accepted = try #require(try UnixSocket.accept(listener.number)?.release())
            defer { close(accepted) }
            try write("\(number - 1)", to: "/proc/sys/kernel/ns_last_pid")
            let impostor = try PeerProcess(connectingTo: path)
            let other = try accept()
            guard impostor.processID == number else { continue }
            #expect(other.isAlive)
            let identity = try PeerIdentity(socket: accepted)
            #expect(identity.processID == number)
            #expect(!identity.isAlive)
            #expect(identity.evidence() == nil)
            // Where the kernel does not bind, the number is all there is, and the label says how little that is.
            let racy = try PeerIdentity(socket: accepted, kernelBinds: false)
            #expect(racy.evidence()?.isRacy == true)
            return
        }
        Issue.record("the number was never had again")
    }

    @Test(
        .enabled(
            if: OtherUser.isPossible && Capability.administer.isHeld
                && access("/proc/sys/kernel/ns_last_pid", W_OK) == 0,
            "the number of the next process cannot be chosen here"))
    func `looked up by its number, a process of another user is not taken for the one that ended`() throws {
        var script = PeerProcess.Script()
        script.user = OtherUser.nobody
        for _ in 0..<200 {
            let peer = try PeerProcess(connectingTo: path, script)
            let number = peer.processID
            peer.end()
            let accepted = try #require(try UnixSocket.accept(listener.number)?.release())
            defer { close(accepted) }
            try write("\(number - 1)", to: "/proc/sys/kernel/ns_last_pid")
            let impostor = try PeerProcess(connectingTo: path)
            _ = try accept()
            guard impostor.processID == number else { continue }
            #expect(try PeerIdentity(socket: accepted, kernelBinds: false).evidence() == nil)
            return
        }
        Issue.record("the number was never had again")
    }

    private static let canMakeGroups = TemporaryControlGroup.hierarchy != nil

    @Test(
        .enabled(if: canMakeGroups, "control groups cannot be made here"),
        arguments: [
            ("/waymarktest.slice/waymark-map.service", nil, "waymark-map.service", nil, nil),
            (
                "/user.slice/user-65534.slice/user@65534.service/app.slice/app-gnome-trailmap-12.scope", 65_534, nil,
                "app-gnome-trailmap-12.scope", nil
            ),
            (
                "/user.slice/user-65534.slice/user@65534.service/app.slice/app-flatpak-org.example.Map-4711.scope",
                65_534, nil, "app-flatpak-org.example.Map-4711.scope", "org.example.Map"
            ),
            ("/user.slice/user-65534.slice/session-3.scope", 65_534, nil, nil, nil),
        ] as [(String, uid_t?, String?, String?, String?)])
    func `a process in a control group of its own is found there, as libsystemd finds it`(
        path group: String, owner: uid_t?, systemUnit: String?, userUnit: String?, flatpak: String?
    ) throws {
        let controlGroup = try TemporaryControlGroup(group)
        var script = PeerProcess.Script()
        script.user = OtherUser.nobody
        script.controlGroup = controlGroup.folder
        let peer = try PeerProcess(connectingTo: path, script)
        let identity = try accept()
        let evidence = try #require(identity.evidence())
        #expect(evidence.controlGroup?.path == group)
        #expect(evidence.controlGroup?.owner == owner)
        #expect(evidence.systemUnit == systemUnit)
        #expect(evidence.userUnit == userUnit)
        #expect(evidence.flatpakID == flatpak)
        #expect(try ControlGroup.of(processID: peer.processID) == evidence.controlGroup)

        #expect(libsystemd { sd_pid_get_user_unit(peer.processID, $0) } == userUnit)
        // For what is a user's, libsystemd names the unit that holds the user's manager or session; here that is none.
        if owner == nil { #expect(libsystemd { sd_pid_get_unit(peer.processID, $0) } == systemUnit) }
        var found: uid_t = 0
        #expect((sd_pid_get_owner_uid(peer.processID, &found) >= 0 ? found : nil) == owner)
        peer.end()
    }

    @Test(.enabled(if: canMakeGroups, "control groups cannot be made here"))
    func `a program of another user in somebody's unit is not that unit's`() throws {
        let group = try TemporaryControlGroup("/user.slice/user-65533.slice/user@65533.service/app-map-1.scope")
        var script = PeerProcess.Script()
        script.user = OtherUser.nobody
        script.controlGroup = group.folder
        let peer = try PeerProcess(connectingTo: path, script)
        let evidence = try #require(try accept().evidence())
        #expect(evidence.controlGroup?.userUnit == "app-map-1.scope")
        #expect(evidence.userUnit == nil)
        peer.end()
    }

    @Test(.enabled(if: OtherUser.isPossible, "only root may ask for a control group by its number"))
    func `the kernel and /proc agree on the control group`() throws {
        let peer = try PeerProcess(connectingTo: path)
        let identity = try accept()
        let pidfd = try #require(identity.pidfdNumber)
        guard let reported = ControlGroup.of(pidfd: pidfd) else { return }
        #expect(reported == (try controlGroup(of: peer.processID)))
        peer.end()
    }

    @Test func `what it takes to know a peer is measured`() throws {
        let peer = try PeerProcess(connectingTo: path)
        let identity = try accept()
        let count: UInt64 = 1_000
        let start = ThreadTime.nanoseconds
        for _ in 0..<count { _ = identity.evidence() }
        let each = (ThreadTime.nanoseconds - start) / count / 1_000
        print("evidence of a peer: \(each) µs of processor time")
        #expect(each < 5_000)
        peer.end()
    }

    /// Nil where there is none: no hierarchy is mounted.
    private func controlGroup(of process: pid_t) throws -> ControlGroup? {
        do { return try ControlGroup.of(processID: process) } catch  where error.code == ENOMEDIUM { return nil }
    }

    private func libsystemd(_ call: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard call(&text) >= 0, let text else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    private func realPath(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    private func write(_ text: String, to path: String) throws {
        let file = try OwnedDescriptor("open", subject: path) { open(path, O_WRONLY | O_CLOEXEC) }
        try retrying("write", subject: path) { Glibc.write(file.number, text, text.utf8.count) }
    }
}
