import CLinux
import Glibc
import Platform
import TestSupport
import TestTraits
import Testing

/// The core of a crashed process of the project: core(5).
@Suite(.waits) struct CoreLimitTests {
    private static let units = [
        "waymark", "waymark-gpsd", "waymark-upload@", "waymark-inspector@", "waymark-resolver@", "hub/waymark-hub",
        "waymark-sync", "user/waymark-sync", "waymark-waker", "waymark-simulated-receiver", "user/waymark-agent",
        "user/waymark-waker",
    ]

    private static func limit(of unit: String) throws -> String {
        let bytes = try BoundedFile.bytes(of: Products.file("systemd/\(unit).service"), limit: 1 << 16)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let limits = lines.filter { $0.hasPrefix("LimitCORE=") }
        try #require(limits.count == 1, "\(unit): \(limits)")
        return String(limits[0].dropFirst("LimitCORE=".count))
    }

    /// Makes a process crash under a limit; returns whether the kernel wrote a core, and in which files.
    private static func crash(under limit: String) throws -> (isDumped: Bool, files: [String]) {
        let directory = try TemporaryDirectory()
        let script = """
            import os, resource, signal, sys
            limit = resource.RLIM_INFINITY if sys.argv[1] == "infinity" else int(sys.argv[1])
            os.chdir(sys.argv[2])
            child = os.fork()
            if child == 0:
                resource.setrlimit(resource.RLIMIT_CORE, (limit, limit))
                os.kill(os.getpid(), signal.SIGQUIT)
                os._exit(1)
            status = os.waitpid(child, 0)[1]
            print(os.WTERMSIG(status) == signal.SIGQUIT and os.WCOREDUMP(status))
            """
        let run = try CompletedProcess.run("/usr/bin/python3", ["-c", script, limit, directory.path])
        try #require(run.status == .exited(0), "\(run.error)")
        return (run.output == "True\n", DirectoryListing.names(directory.path))
    }

    @Test(arguments: units)
    func `a unit's limit is the one at which a handler is given no core either`(unit: String) throws {
        let limit = try Self.limit(of: unit)
        // do_coredump() of the kernel compares the limit of a handler's pipe with 1, and with nothing else.
        #expect(limit == "1")
        let crash = try Self.crash(under: limit)
        #expect(!crash.isDumped && crash.files == [])
    }

    @Test(arguments: ["waymark-inspector", "waymark-resolver"])
    func `inspector and resolver set that limit also without a unit`(program: String) throws {
        var own = rlimit()
        #expect(getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &own) == 0)
        try #require(own.rlim_max > 0 || geteuid() == 0, "a limit of 0 cannot be raised")
        var pair: [Int32] = [-1, -1]
        try retrying("socketpair") {
            socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair)
        }
        let near = OwnedDescriptor(adopting: pair[0])
        let far = OwnedDescriptor(adopting: pair[1])
        let process = try ChildProcess(
            ChildProcess.Launch(
                try Products.program(program), input: .descriptor(far.number), output: .pipe, isGuarded: true))
        let path = "/proc/\(process.processID)/limits"
        let isLimited = try eventually {
            let lines = String(decoding: try BoundedFile.bytes(of: path, limit: 65_536), as: UTF8.self).split(
                separator: "\n")
            let line = lines.first { $0.hasPrefix("Max core file size") } ?? ""
            return line.dropFirst("Max core file size".count).split(separator: " ").prefix(2) == ["1", "1"]
        }
        #expect(isLimited)
        process.signal(SIGKILL)
        _ = try process.wait(seconds: 60)
        near.close()
    }

    @Test func `without that limit a core is written`() throws {
        let pattern = try BoundedFile.bytes(of: "/proc/sys/kernel/core_pattern", limit: 4_096)
        // A handler of this machine's is not to be bothered by a test.
        guard pattern.first.map({ $0 != UInt8(ascii: "|") && $0 != UInt8(ascii: "/") && $0 != 10 }) == true else {
            print("cores of this machine go to \(String(decoding: pattern, as: UTF8.self))")
            return
        }
        let crash = try Self.crash(under: "infinity")
        #expect(crash.isDumped && crash.files.count == 1)
    }
}
