import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite struct FreezeStateTests {
    init() { LoopThread.start() }

    private static let canMakeGroups = TemporaryControlGroup.hierarchy != nil

    @Test(.enabled(if: canMakeGroups, "control groups cannot be made here"))
    @DaemonActor func `a frozen control group is noticed, and that it is thawed`() async throws {
        let group = try TemporaryControlGroup("/waymarktest-freeze-\(getpid()).slice/map.service")
        let controlGroup = ControlGroup(path: group.path)
        #expect(FreezeState.isFrozen(controlGroup) == false)
        var reported: [Bool] = []
        let watcher = try #require(try FreezeWatcher(controlGroup) { reported.append($0) })
        try group.write("1", to: "cgroup.freeze")
        #expect(try await eventually { () async throws -> Bool in reported == [true] })
        #expect(watcher.isFrozen)
        #expect(FreezeState.isFrozen(controlGroup) == true)
        try group.write("0", to: "cgroup.freeze")
        #expect(try await eventually { () async throws -> Bool in reported == [true, false] })
        #expect(FreezeState.isFrozen(controlGroup) == false)
        watcher.cancel()
    }

    @Test(.enabled(if: canMakeGroups, "control groups cannot be made here"))
    @DaemonActor func `a peer in a frozen control group is frozen`() throws {
        let group = try TemporaryControlGroup("/waymarktest-freeze2-\(getpid()).slice/map.service")
        let directory = try TemporaryDirectory()
        let listener = try UnixSocket.listen(path: directory.file("s"), mode: 0o666)
        var script = PeerProcess.Script()
        script.controlGroup = group.folder
        let peer = try PeerProcess(connectingTo: directory.file("s"), script)
        let accepted = try #require(try UnixSocket.accept(listener.number)?.release())
        defer { close(accepted) }
        let identity = try PeerIdentity(socket: accepted)
        #expect(FreezeState.isFrozen(identity) == false)
        try group.write("1", to: "cgroup.freeze")
        #expect(eventually { FreezeState.isFrozen(identity) == true })
        try group.write("0", to: "cgroup.freeze")
        peer.end()
        #expect(FreezeState.isFrozen(identity) == nil)
    }

    @Test(
        .enabled(
            if: geteuid() == 0 && access("/sys/fs/cgroup/freezer", W_OK) == 0
                && access("/sys/fs/cgroup/freezer/cgroup.procs", W_OK) == 0,
            "there is no freezer of version 1"))
    @DaemonActor func `a freezer of version 1 is read`() throws {
        let folder = "/sys/fs/cgroup/freezer/waymarktest-\(getpid())"
        try retrying("mkdir", subject: folder) { mkdir(folder, 0o755) }
        defer { rmdir(folder) }
        #expect(FreezeState.versionOneIsFrozen(folder: folder) == false)
        let file = try OwnedDescriptor("open") { open(folder + "/freezer.state", O_WRONLY | O_CLOEXEC) }
        try retrying("write") { write(file.number, "FROZEN", 6) }
        #expect(FreezeState.versionOneIsFrozen(folder: folder) == true)
        #expect(FreezeState.versionOneIsFrozen(folder: folder + "/none") == nil)
    }

    @Test @DaemonActor func `what is no answer is none`() {
        #expect(FreezeState.frozen(in: Array("populated 1\n".utf8)) == nil)
        #expect(FreezeState.frozen(in: Array("populated 1\nfrozen 1\n".utf8)) == true)
        #expect(FreezeState.isFrozen(ControlGroup(path: "/")) == nil)
        #expect(FreezeState.isFrozen(ControlGroup(path: "/no.slice/such.service")) == nil)
    }
}
