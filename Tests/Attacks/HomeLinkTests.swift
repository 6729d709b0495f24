import CLinux
import Glibc
import Inspector
import Manifests
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing

/// A user puts links into the folder of personal manifests, which the inspector reads with the rights of root.
@Suite(.waits, .enabled(if: OtherUser.isPossible, "only root can give a folder to another user and make a device"))
final class HomeLinkTests {
    private let directory: TemporaryDirectory
    private let folder: String
    private let inspector: ChildProcess
    private let socket: OwnedDescriptor

    init() throws {
        directory = try TemporaryDirectory()
        folder = directory.file("home" + ManifestFolder.personalEnd)
        var pair: [Int32] = [-1, -1]
        try retrying("socketpair") {
            socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair)
        }
        socket = OwnedDescriptor(adopting: pair[0])
        let other = OwnedDescriptor(adopting: pair[1])
        inspector = try ChildProcess(
            ChildProcess.Launch(
                try Products.program("waymark-inspector"), input: .descriptor(other.number), isGuarded: true))
        try directory.write("home\(ManifestFolder.personalEnd)/good.app", "[App]\n")
        for path in ["home", "home/.config", "home/.config/waymark", "home\(ManifestFolder.personalEnd)"] {
            try give(directory.file(path))
        }
        try give(folder + "/good.app")
        // A folder of root, which nobody else may enter.
        try directory.write("root/secret.app", "[App]\nName=Secret\n")
        try directory.write("root/apps/secret.app", "[App]\nName=Secret\n")
        try retrying("close") { chmod(directory.file("root"), 0o700) }
    }

    /// Changes a file's owner to the owner of the home.
    private func give(_ path: String) throws {
        try retrying("give away", subject: path) { lchown(path, OtherUser.nobody, OtherUser.nobody) }
    }

    private func link(_ name: String, to target: String) throws {
        try retrying("link", subject: name) { symlink(target, "\(folder)/\(name)") }
        try give("\(folder)/\(name)")
    }

    /// The manifests that the inspector finds in the folder.
    private func findings() throws -> [ManifestFolder.Finding] {
        let bytes = InspectorRequest.manifests(userID: OtherUser.nobody, folder: folder).bytes
        try retrying("send") { send(socket.number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
        var found: [ManifestFolder.Finding] = []
        while true {
            try #require(try PollDeadline(seconds: 20).poll(socket.number, for: POLLIN))
            var buffer = [UInt8](repeating: 0, count: InspectorAnswer.mostBytes)
            var descriptor: Int32 = -1
            let count = buffer.withUnsafeMutableBytes {
                waymark_receive_message(socket.number, $0.baseAddress, $0.count, &descriptor)
            }
            if descriptor >= 0 { _ = close(descriptor) }
            try #require(count > 0)
            switch try #require(InspectorAnswer(buffer[..<count])) {
            case .found(let finding): found.append(finding)
            case .end: return found
            default: continue
            }
        }
    }

    /// Whether a process opens a file during the closure, inotify(7).
    private func isOpened(_ path: String, while body: () throws -> Void) throws -> Bool {
        let watch = try OwnedDescriptor("inotify_init") { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }
        try retrying("watch", subject: path) { inotify_add_watch(watch.number, path, UInt32(IN_OPEN)) }
        try body()
        return try PollDeadline(seconds: 0).poll(watch.number, for: POLLIN)
    }

    private let good = ManifestFolder.Finding.file("good.app", Array("[App]\n".utf8))

    @Test(arguments: [false, true])
    func `a FIFO is not opened, by its name or through a link`(isLinked: Bool) throws {
        let fifo = isLinked ? directory.file("fifo") : folder + "/fifo.app"
        try retrying("mkfifo") { mkfifo(fifo, 0o644) }
        try give(fifo)
        if isLinked { try link("fifo.app", to: fifo) }
        var found: [ManifestFolder.Finding] = []
        #expect(try !isOpened(fifo) { found = try findings() })
        #expect(found.count == 2)
        #expect(found.last == good)
    }

    @Test(arguments: [false, true])
    func `a device is not opened, by its name or through a link`(isLinked: Bool) throws {
        let device = isLinked ? directory.file("device") : folder + "/device.app"
        // zero(4): harmless to open where the inspector does.
        try retrying("mknod") { mknod(device, S_IFCHR | 0o666, 1 << 8 | 5) }
        try give(device)
        if isLinked { try link("device.app", to: device) }
        var found: [ManifestFolder.Finding] = []
        #expect(try !isOpened(device) { found = try findings() })
        #expect(found.count == 2)
        #expect(found.contains(good))
    }

    @Test func `a link reveals neither the content nor the existence of root's files that the user may not read`()
        throws
    {
        try link("a.app", to: directory.file("root/secret.app"))
        try link("b.app", to: directory.file("root/missing.app"))
        try link("c.app", to: directory.file("root/apps"))
        let secret = directory.file("root/secret.app")
        var found: [ManifestFolder.Finding] = []
        #expect(try !isOpened(secret) { found = try findings() })
        try #require(found.count == 4)
        let reasons = found.compactMap { finding -> String? in
            guard case .wrongFile(_, let reason) = finding else { return nil }
            return reason
        }
        #expect(reasons.count == 3)
        #expect(Set(reasons) == ["is a link, and leads to no file of its user's own"])
    }

    @Test(arguments: ["root/apps", "root/missing", "root/secret.app"])
    func `a folder that is a link to root's folder is ignored`(target: String) throws {
        try retrying("move away") { rename(folder, folder + ".old") }
        try retrying("link") { symlink(directory.file(target), folder) }
        try give(folder)
        #expect(try findings() == [.noFolder], "the same as without a folder")
    }

    @Test func `a folder below a link to root's folder is ignored`() throws {
        let above = directory.file("home/.config/waymark")
        try retrying("move away") { rename(above, above + ".old") }
        try retrying("link") { symlink(directory.file("root"), above) }
        #expect(try findings() == [.noFolder])
    }

    @Test func `a link to a file of the same user is followed`() throws {
        let own = try directory.write("home/dotfiles/umap.app", "[App]\nName=Map\n")
        try give(own)
        try link("umap.app", to: own)
        #expect(try findings() == [good, .file("umap.app", Array("[App]\nName=Map\n".utf8))])
    }

    @Test func `a link to the null device hides a manifest`() throws {
        try link("hidden.app", to: "/dev/null")
        #expect(try findings() == [good, .file("hidden.app", [])])
    }
}
