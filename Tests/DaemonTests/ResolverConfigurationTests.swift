import Glibc
import Location
import Platform
import TestSupport
import Testing

@testable import Daemon

@Suite struct NameServerListTests {
    @Test(
        arguments: [
            ("", []), ("nameserver 192.0.2.1", ["192.0.2.1"]), ("nameserver\t192.0.2.1\n", ["192.0.2.1"]),
            ("nameserver  192.0.2.1 # ours\r\n", ["192.0.2.1"]), ("nameserver 192.0.2.1\r\n", ["192.0.2.1"]),
            ("nameserver \t 2001:db8::1\nnameserver fe80::1%eth0", ["2001:db8::1", "fe80::1%eth0"]),
            ("#nameserver 192.0.2.1\n;nameserver 192.0.2.2\n nameserver 192.0.2.3\n", []),
            ("nameserver192.0.2.1\nnameservers 192.0.2.2\nnameserver\nnameserver ns.example\n", []),
            ("search example\noptions rotate\nnameserver 192.0.2.1\nsortlist 192.0.2.0\n", ["192.0.2.1"]),
            (
                "nameserver 192.0.2.1\n" + String(repeating: "nameserver 192.0.2.2\n", count: 9),
                ["192.0.2.1", "192.0.2.2", "192.0.2.2"]
            ),
            ("nameserver \u{0}\nnameserver 192.0.2.1\u{0}", []),
        ] as [(String, [String])])
    func `the servers of a file are those that glibc uses`(text: String, servers: [String]) {
        #expect(NameServerList(Array(text.utf8)).servers.map(\.description) == servers)
    }

    @Test(arguments: [
        ("127.0.0.53", true), ("127.0.0.54", true), ("127.0.0.1", false), ("192.0.2.53", false), ("7f00:35::", false),
    ])
    func `the address of systemd-resolved's stub is recognized`(address: String, isStub: Bool) {
        #expect(NameServerList(Array("nameserver \(address)\n".utf8)).hasStub == isStub)
    }

    @Test func `bytes that are no text name no server`() {
        #expect(NameServerList([0xff, 0xfe, 0x0a] + Array("nameserver ".utf8) + [0xff]).servers.isEmpty)
    }
}

@Suite struct ResolverConfigurationTests {
    private let directory: TemporaryDirectory
    private let files: ResolverConfiguration.Files

    init() throws {
        LoopThread.start()
        directory = try TemporaryDirectory()
        files = ResolverConfiguration.Files(
            resolver: directory.file("etc/resolv.conf"), systemd: directory.file("run/systemd/resolve/resolv.conf"),
            hosts: directory.file("etc/hosts"), services: directory.file("etc/nsswitch.conf"))
        try directory.write("etc/hosts", "127.0.0.1 localhost\n")
        try directory.write("etc/nsswitch.conf", "hosts: files dns\n")
    }

    @DaemonActor private final class Reported {
        var count = 0

        /// Counts the changes that are reported to it.
        var changes: Changes {
            Changes { [self] change in
                if case .nameServersChanged = change { count += 1 }
            }
        }
    }

    @DaemonActor private func isReported(_ reported: Reported, _ count: Int, within seconds: Double = Patience.daemon)
        async throws
        -> Bool
    {
        try await eventually(within: seconds) { () async throws -> Bool in reported.count >= count }
    }

    @DaemonActor private func servers(_ configuration: ResolverConfiguration) -> [String] {
        configuration.nameServers.map(\.description)
    }

    @Test @DaemonActor func `a changed file of name servers, hosts or services is reported, an unchanged one is not`()
        async throws
    {
        try directory.write("etc/resolv.conf", "nameserver 192.0.2.1\n")
        let reported = Reported()
        let configuration = ResolverConfiguration(files, changes: reported.changes)
        #expect(servers(configuration) == ["192.0.2.1"])
        try directory.write("etc/resolv.conf", "nameserver 192.0.2.2\n")
        #expect(try await isReported(reported, 1))
        #expect(servers(configuration) == ["192.0.2.2"])
        try directory.write("etc/hosts", "127.0.0.1 localhost other\n")
        #expect(try await isReported(reported, 2))
        try directory.write("etc/nsswitch.conf", "hosts: files\n")
        #expect(try await isReported(reported, 3))
        try directory.write("etc/resolv.conf", "nameserver 192.0.2.2\n")
        try directory.write("etc/passwd", "root\n")
        #expect(try await !isReported(reported, 4, within: 0.5))
        unlink(files.resolver)
        #expect(try await isReported(reported, 4))
        #expect(servers(configuration) == ["127.0.0.1"], "without a file the local machine is queried")
        configuration.stop()
    }

    @Test @DaemonActor func `behind the stub's address are the servers that systemd-resolved uses`() async throws {
        try directory.write("run/systemd/resolve/stub-resolv.conf", "nameserver 127.0.0.53\n")
        symlink("../run/systemd/resolve/stub-resolv.conf", files.resolver)
        let reported = Reported()
        let configuration = ResolverConfiguration(files, changes: reported.changes)
        #expect(servers(configuration) == ["127.0.0.53"], "it has written none yet")
        let five = (1...5).map { "192.0.2.\($0)" }
        try directory.write(
            "run/systemd/resolve/resolv.conf", five.map { "nameserver \($0)\n" }.joined())
        #expect(try await isReported(reported, 1))
        #expect(servers(configuration) == five)
        try directory.write("run/systemd/resolve/resolv.conf", "# No DNS servers known.\n")
        #expect(try await isReported(reported, 2))
        #expect(servers(configuration) == [])
        configuration.stop()
    }

    @Test @DaemonActor func `a file that is too large names no server`() throws {
        try directory.write("etc/resolv.conf", "nameserver 192.0.2.1\n" + String(repeating: "#\n", count: 40_000))
        let configuration = ResolverConfiguration(files, changes: Changes())
        #expect(servers(configuration) == ["127.0.0.1"])
        configuration.stop()
    }

    @Test(.enabled(if: InotifyInstances.canBeAdopted, "only root can become another user")) @DaemonActor
    func `unnoticed changes are reported as a problem, and the changes as soon as possible`() async throws {
        try directory.write("etc/resolv.conf", "nameserver 192.0.2.1\n")
        let reported = Reported()
        let taken = try InotifyInstances()
        // When the watch is tried again, this thread is root, which has instances left.
        let configuration = try OtherUser.act(as: InotifyInstances.user) {
            ResolverConfiguration(files, changes: reported.changes)
        }
        #expect(configuration.problem?.hasPrefix("changes of \(files.resolver) are not noticed: ") == true)
        try directory.write("etc/resolv.conf", "nameserver 192.0.2.2\n")
        #expect(try await isReported(reported, 1))
        #expect(servers(configuration) == ["192.0.2.2"])
        #expect(configuration.problem == nil)
        configuration.stop()
        taken.giveBack()
    }
}
