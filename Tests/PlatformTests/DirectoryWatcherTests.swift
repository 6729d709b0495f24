import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite struct DirectoryWatcherTests {
    private let directory: TemporaryDirectory

    init() throws {
        LoopThread.start()
        directory = try TemporaryDirectory()
    }

    @DaemonActor private final class Reported {
        var changes: [DirectoryWatcher.Change] = []
        var count: Int { changes.count }
    }

    @DaemonActor private func watch(_ folders: String..., reporter reported: Reported) throws -> DirectoryWatcher {
        try DirectoryWatcher(
            folders.map(directory.file), quiet: .milliseconds(20), patience: .milliseconds(200)
        ) { reported.changes.append($0) }
    }

    /// Makes an empty file without opening it, with its parent directories. A file that was opened is closed as late as
    /// by a child that another test is just starting, and that is a change.
    private func make(_ name: String) throws {
        let parts = name.split(separator: "/")
        for count in 1..<parts.count { mkdir(directory.file(parts.prefix(count).joined(separator: "/")), 0o755) }
        let path = directory.file(name)
        try retrying("mknod", subject: path) { mknod(path, S_IFREG | 0o644, 0) }
    }

    /// Waits until something new is reported.
    @DaemonActor private func isReported(
        _ reported: Reported, after count: Int, within seconds: Double = Patience.daemon
    )
        async throws -> Bool
    {
        try await eventually(within: seconds) { () async throws -> Bool in reported.count > count }
    }

    @Test(arguments: 0..<5) @DaemonActor func `a change of a folder is reported`(kind: Int) async throws {
        try directory.write("apps/a.app", "one")
        let reported = Reported()
        let watcher = try watch("apps", reporter: reported)
        switch kind {
        case 0: try directory.write("apps/b.app", "new")
        case 1: try directory.write("apps/a.app", "two")
        case 2: unlink(directory.file("apps/a.app"))
        case 3: rename(directory.file("apps/a.app"), directory.file("apps/c.app"))
        default: chmod(directory.file("apps/a.app"), 0o600)
        }
        #expect(try await isReported(reported, after: 0))
        #expect(reported.changes.allSatisfy { !$0.overflowed && $0.failure == nil })
        watcher.cancel()
    }

    @Test @DaemonActor func `a watcher that was dropped is not heard of while its descriptor is still held`()
        async throws
    {
        try directory.write("apps/a.app", "one")
        let reported = Reported()
        var watcher: DirectoryWatcher? = try watch("apps", reporter: reported)
        // As a child has it that was forked and has not called exec yet.
        let held = try Self.inotifyDescriptors()
        #expect(!held.isEmpty)
        defer { for descriptor in held { close(descriptor) } }
        try directory.write("apps/b.app", "new")
        #expect(watcher != nil)
        watcher = nil
        // The kernel goes on reporting what is open until it is taken out of the loop.
        for _ in 0..<10 { try await elapsed(.milliseconds(5)) }
        #expect(reported.count == 0)
    }

    /// A copy of each inotify descriptor that this process has.
    private static func inotifyDescriptors() throws -> [Int32] {
        let limit = try retrying("count the descriptors") { Int32(clamping: sysconf(Int32(_SC_OPEN_MAX))) }
        return (3..<min(limit, 4_096)).compactMap { number in
            guard isInotify(number) else { return nil }
            let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
            // Another test may have closed it meanwhile, and its number be something else's.
            guard copy >= 0, !isInotify(copy) else { return copy >= 0 ? copy : nil }
            close(copy)
            return nil
        }
    }

    private static func isInotify(_ descriptor: Int32) -> Bool {
        LinkTarget.read("/proc/self/fd/\(descriptor)") == "anon_inode:inotify"
    }

    @Test @DaemonActor func `a folder that does not exist yet is reported when it does, and from then on`() async throws
    {
        let reported = Reported()
        let watcher = try watch("etc/waymark/apps", "etc/waymark/restrictions.d", reporter: reported)
        var count = reported.count
        for step in [
            "etc/other/x", "etc/waymark/apps/a.app", "etc/waymark/apps/b.app", "etc/waymark/restrictions.d/r.conf",
        ] {
            count = reported.count
            try directory.write(step, "text")
            if !step.hasPrefix("etc/other") { #expect(try await isReported(reported, after: count), "\(step)") }
        }
        watcher.cancel()
    }

    @Test @DaemonActor func `another folder at the same path is watched in its place`() async throws {
        try directory.write("etc/apps/a.app", "one")
        let reported = Reported()
        let watcher = try watch("etc/apps", reporter: reported)
        rename(directory.file("etc"), directory.file("old"))
        #expect(try await isReported(reported, after: 0))
        var count = reported.count
        try make("etc/apps/a.app")
        #expect(try await isReported(reported, after: count))
        // All is quiet again before what is looked for is written.
        try await elapsed(.milliseconds(300))
        count = reported.count
        try make("etc/apps/b.app")
        #expect(try await isReported(reported, after: count))
        try await elapsed(.milliseconds(300))
        count = reported.count
        try directory.write("old/apps/a.app", "not ours any more")
        #expect(try await !isReported(reported, after: count, within: 0.3))
        watcher.cancel()
    }

    @Test @DaemonActor func `a link that is turned to another folder is reported`() async throws {
        try directory.write("one/a.app", "one")
        try directory.write("two/a.app", "two")
        symlink(directory.file("one"), directory.file("apps"))
        let reported = Reported()
        let watcher = try watch("apps", reporter: reported)
        symlink(directory.file("two"), directory.file("next"))
        rename(directory.file("next"), directory.file("apps"))
        #expect(try await isReported(reported, after: 0))
        let count = reported.count
        try directory.write("two/b.app", "two")
        #expect(try await isReported(reported, after: count))
        watcher.cancel()
    }

    @Test @DaemonActor func `changes outside the path to a folder are not reported`() async throws {
        // With nothing in it: a child that another test has just forked may still hold a file that was written, whose
        // end is a change of the folder.
        try directory.write("etc/waymark/waymark.conf", "one")
        mkdir(directory.file("etc/waymark/apps"), 0o755)
        let reported = Reported()
        let watcher = try watch("etc/waymark/apps", reporter: reported)
        try directory.write("etc/passwd", "text")
        try directory.write("etc/waymark/waymark.conf", "text")
        #expect(try await !isReported(reported, after: 0, within: 0.3))
        watcher.cancel()
    }

    @Test @DaemonActor func `a burst of changes is reported a few times, and at its end`() async throws {
        try directory.write("apps/a.app", "one")
        let reported = Reported()
        let watcher = try watch("apps", reporter: reported)
        for number in 0..<500 { try make("apps/\(number).app") }
        #expect(try await isReported(reported, after: 0))
        try await elapsed(.milliseconds(300))
        #expect(reported.count <= 5)
        watcher.cancel()
    }

    @Test @DaemonActor func `more changes than the kernel keeps are reported as such, and the folder is watched on`()
        async throws
    {
        try directory.write("apps/a.app", "one")
        let reported = Reported()
        let watcher = try watch("apps", reporter: reported)
        // The loop is held meanwhile, so that nothing is read: 16,384 events is the kernel's usual bound.
        for number in 0..<20_000 where watcher.overflows == 0 {
            let (from, to) = number.isMultiple(of: 2) ? ("a.app", "b.app") : ("b.app", "a.app")
            rename(directory.file("apps/\(from)"), directory.file("apps/\(to)"))
        }
        #expect(try await eventually { () async throws -> Bool in reported.changes.contains { $0.overflowed } })
        #expect(watcher.overflows == 1)
        try await elapsed(.milliseconds(300))
        let count = reported.count
        try directory.write("apps/c.app", "text")
        #expect(try await isReported(reported, after: count))
        #expect(reported.changes.last?.overflowed == false)
        watcher.cancel()
    }

    @DaemonActor private func watch(file: String, reporter reported: Reported) throws -> DirectoryWatcher {
        try DirectoryWatcher(
            files: [directory.file(file)], quiet: .milliseconds(20), patience: .milliseconds(200)
        ) { reported.changes.append($0) }
    }

    @Test @DaemonActor func `a file is watched by its name, whatever becomes of it`() async throws {
        try directory.write("etc/resolv.conf", "one")
        let reported = Reported()
        let watcher = try watch(file: "etc/resolv.conf", reporter: reported)
        let steps: [(String, () throws -> Void)] = [
            ("written in place", { try directory.write("etc/resolv.conf", "two") }),
            (
                "replaced",
                {
                    try directory.write("etc/new", "three")
                    rename(directory.file("etc/new"), directory.file("etc/resolv.conf"))
                }
            ),
            ("written again", { try directory.write("etc/resolv.conf", "four") }),
            ("removed", { unlink(directory.file("etc/resolv.conf")) }),
            ("made anew", { try directory.write("etc/resolv.conf", "five") }),
            ("written anew", { try directory.write("etc/resolv.conf", "six") }),
            (
                "with its folder",
                {
                    rename(directory.file("etc"), directory.file("old"))
                    try directory.write("etc/resolv.conf", "seven")
                }
            ),
            ("written at last", { try directory.write("etc/resolv.conf", "eight") }),
        ]
        for (step, change) in steps {
            // Quiet before, so that this is what is reported.
            try await elapsed(.milliseconds(300))
            let count = reported.count
            try change()
            #expect(try await isReported(reported, after: count), "\(step)")
        }
        watcher.cancel()
    }

    @Test @DaemonActor func `nothing beside a watched file is reported, and nothing of one that was moved`()
        async throws
    {
        try make("etc/resolv.conf")
        let reported = Reported()
        let watcher = try watch(file: "etc/resolv.conf", reporter: reported)
        rename(directory.file("etc"), directory.file("old"))
        try make("etc/resolv.conf")
        #expect(try await isReported(reported, after: 0))
        try await elapsed(.milliseconds(300))
        let count = reported.count
        try directory.write("etc/passwd", "text")
        try directory.write("etc/resolv.conf.new", "text")
        try directory.write("old/resolv.conf", "not ours any more")
        #expect(try await !isReported(reported, after: count, within: 0.3))
        watcher.cancel()
    }

    @Test @DaemonActor func `a file that is written by another name, as below a mount over it, is reported`()
        async throws
    {
        try directory.write("netns/resolv.conf", "one")
        mkdir(directory.file("etc"), 0o755)
        link(directory.file("netns/resolv.conf"), directory.file("etc/resolv.conf"))
        let reported = Reported()
        let watcher = try watch(file: "etc/resolv.conf", reporter: reported)
        try directory.write("netns/resolv.conf", "two")
        #expect(try await isReported(reported, after: 0))
        watcher.cancel()
    }

    @Test(arguments: [
        "../run/resolve/stub.conf", "./../etc/../run/resolve/stub.conf", "second",
    ]) @DaemonActor func `of a file that is a link what it leads to is watched, and where it leads`(
        target: String
    ) async throws {
        mkdir(directory.file("etc"), 0o755)
        symlink(directory.file("run/resolve/stub.conf"), directory.file("etc/second"))
        symlink(target, directory.file("etc/resolv.conf"))
        let reported = Reported()
        let watcher = try watch(file: "etc/resolv.conf", reporter: reported)
        let steps: [(String, () throws -> Void)] = [
            ("made", { try directory.write("run/resolve/stub.conf", "one") }),
            ("written in place", { try directory.write("run/resolve/stub.conf", "two") }),
            (
                "replaced",
                {
                    try directory.write("run/resolve/new", "three")
                    rename(directory.file("run/resolve/new"), directory.file("run/resolve/stub.conf"))
                }
            ),
            ("removed", { unlink(directory.file("run/resolve/stub.conf")) }),
            ("made again", { try directory.write("run/resolve/stub.conf", "four") }),
            (
                "turned",
                {
                    try directory.write("elsewhere", "five")
                    symlink(directory.file("elsewhere"), directory.file("etc/next"))
                    rename(directory.file("etc/next"), directory.file("etc/resolv.conf"))
                }
            ),
            ("written elsewhere", { try directory.write("elsewhere", "six") }),
        ]
        for (step, change) in steps {
            try await elapsed(.milliseconds(300))
            let count = reported.count
            try change()
            #expect(try await isReported(reported, after: count), "\(step)")
        }
        watcher.cancel()
    }

    @Test @DaemonActor func `a link to itself is watched without end to it`() async throws {
        symlink("loop", directory.file("loop"))
        let reported = Reported()
        let watcher = try watch(file: "loop", reporter: reported)
        unlink(directory.file("loop"))
        #expect(try await isReported(reported, after: 0))
        watcher.cancel()
    }

    @Test(.enabled(if: InotifyInstances.canBeAdopted, "only root can be somebody else")) @DaemonActor
    func `where nothing more can be watched it is tried again, and a change is reported once it can be`() async throws {
        try directory.write("apps/a.app", "one")
        let reported = Reported()
        let taken = try InotifyInstances()
        // The kernel counts for the user that this thread is; when it tries again it is root, which has instances left.
        let watcher = try OtherUser.act(as: InotifyInstances.user) { try watch("apps", reporter: reported) }
        #expect(watcher.failure?.code == EMFILE)
        #expect(watcher.problem?.contains("fs.inotify.max_user_instances") == true)
        try make("apps/b.app")
        #expect(reported.count == 0)
        #expect(try await isReported(reported, after: 0))
        #expect(watcher.failure == nil && reported.changes.count == 1 && reported.changes[0].failure == nil)
        try directory.write("apps/c.app", "new")
        #expect(try await isReported(reported, after: 1))
        watcher.cancel()
        taken.giveBack()
    }
}
