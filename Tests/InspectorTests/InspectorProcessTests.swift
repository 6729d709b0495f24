import CLinux
import Glibc
import Inspector
import Manifests
import Platform
import TestSupport
import TestTraits
import Testing

/// The program, at the other end of a socket.
@Suite(.waits) final class InspectorProcessTests {
    private let directory: TemporaryDirectory
    private let process: ChildProcess
    private let socket: OwnedDescriptor

    init() throws {
        directory = try TemporaryDirectory()
        var pair: [Int32] = [-1, -1]
        try retrying("socketpair") {
            socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair)
        }
        socket = OwnedDescriptor(adopting: pair[0])
        let other = OwnedDescriptor(adopting: pair[1])
        process = try ChildProcess(
            ChildProcess.Launch(
                try Products.program("waymark-inspector"), input: .descriptor(other.number), isGuarded: true))
    }

    private func ask(_ request: InspectorRequest) throws {
        let bytes = request.bytes
        #expect(send(socket.number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    }

    private func next() throws -> (answer: InspectorAnswer, descriptor: Int32) {
        #expect(try PollDeadline(seconds: 20).poll(socket.number, for: POLLIN))
        var buffer = [UInt8](repeating: 0, count: InspectorAnswer.mostBytes)
        var descriptor: Int32 = -1
        let count = buffer.withUnsafeMutableBytes {
            waymark_receive_message(socket.number, $0.baseAddress, $0.count, &descriptor)
        }
        try #require(count > 0)
        return (try #require(InspectorAnswer(buffer[..<count])), descriptor)
    }

    /// The entries of a folder, and its watch.
    private func manifests(
        _ folder: String, of uid: UInt32 = geteuid()
    ) throws -> (found: [ManifestFolder.Finding], watch: WatchedPaths?, homeBirth: Int64?) {
        try ask(.manifests(userID: uid, folder: folder))
        var homeBirth: Int64?
        var found: [ManifestFolder.Finding] = []
        var watch: WatchedPaths?
        for _ in 0..<100 {
            let (answer, descriptor) = try next()
            switch answer {
            case .watched(let interests):
                try #require(descriptor >= 0)
                watch = WatchedPaths(adopting: OwnedDescriptor(adopting: descriptor), interests: interests)
            case .home(let birth): homeBirth = birth
            case .found(let finding): found.append(finding)
            case .end: return (found, watch, homeBirth)
            default: Issue.record("\(answer)")
            }
        }
        throw SystemError("read", code: EPROTO)
    }

    @Test func `returns the program of one process after the other, and ends with the connection`() throws {
        try ask(.program(processID: getpid()))
        #expect(try next().answer == .program(ProgramEvidence.of(processID: getpid())))
        try ask(.program(processID: process.processID))
        #expect(try next().answer == .program(.file(try Products.program("waymark-inspector"))))
        shutdown(socket.number, Int32(SHUT_RDWR))
        #expect(try process.wait(seconds: 60) == .exited(0))
    }

    @Test(.enabled(if: HungFileSystem.isPossible, "needs the right to mount fuse(4), which root has"))
    func `ends within a short time when the file system of a program does not respond`() throws {
        let folder = directory.file("programs")
        mkdir(folder, 0o755)
        #expect(try CompletedProcess.run("/bin/cp", ["/bin/sleep", folder]).status.isSuccess)
        let sleeper = try ChildProcess(ChildProcess.Launch("\(folder)/sleep", ["1000"], isGuarded: true))
        try ask(.program(processID: sleeper.processID))
        #expect(try next().answer == .program(.file("\(folder)/sleep")))
        let hung = try HungFileSystem(over: folder)
        try ask(.program(processID: sleeper.processID))
        #expect(try process.wait(seconds: 60) == .killed(signal: SIGALRM))
        _ = try sleeper.terminate()
        withExtendedLifetime(hung) {}
    }

    @Test func `returns a user's manifests, and a watch that reports changes`() throws {
        let folder = directory.file("home" + ManifestFolder.personalEnd)
        try directory.write("home\(ManifestFolder.personalEnd)/one.app", "[App]\n")
        try directory.write("home\(ManifestFolder.personalEnd)/two.app", "open to others")
        try directory.write("home\(ManifestFolder.personalEnd)/notes.txt", "no manifest")
        chmod(folder + "/two.app", 0o666)
        chmod(folder + "/one.app", 0o600)
        chmod(folder, 0o700)
        let (found, watch, _) = try manifests(folder)
        #expect(
            found == [
                .file("one.app", Array("[App]\n".utf8)),
                .wrongFile("two.app", "may be written by others: chmod go-w it"),
            ])
        let paths = try #require(watch)
        // Nothing has changed yet. But the kernel may report the written file as closed only after a program that was
        // started meanwhile, and inherited its descriptor, has begun.
        #expect(eventually { !paths.readEvents().areOfInterest })
        try directory.write("home\(ManifestFolder.personalEnd)/one.app", "[App]\nName=One\n")
        #expect(eventually { paths.readEvents().areOfInterest })
        #expect(try manifests(folder).found.first == .file("one.app", Array("[App]\nName=One\n".utf8)))
    }

    @Test func `the place of a missing folder is watched until the folder exists`() throws {
        try directory.write("home/.profile", "")
        let (found, watch, _) = try manifests(directory.file("home" + ManifestFolder.personalEnd))
        #expect(found == [.noFolder])
        let paths = try #require(watch)
        try directory.write("home/.bashrc", "")
        try directory.write("home/.config/other", "")
        #expect(eventually { paths.readEvents().areOfInterest })
    }

    @Test(arguments: ["/etc", "/root/.ssh", "/home/mary/../../etc/.config/waymark/apps"])
    func `other folders are refused`(folder: String) throws {
        let (found, watch, _) = try manifests(folder)
        #expect(found == [.wrongFolder("is no folder of manifests")])
        #expect(watch == nil)
    }

    @Test(.enabled(if: geteuid() != 0 || Capability.changeOwners.isHeld, "folders cannot be given away"))
    func `a folder of another user is refused`() throws {
        let folder = directory.file("home" + ManifestFolder.personalEnd)
        try directory.write("home\(ManifestFolder.personalEnd)/one.app", "[App]\n")
        // Root's own folders are accepted for everybody.
        let owner = geteuid() == 0 ? OtherUser.nobody : geteuid()
        #expect(chown(folder, owner, owner) == 0)
        let (found, watch, homeBirth) = try manifests(folder, of: 4_000_000_000)
        #expect(watch != nil)
        #expect(found == [.wrongFolder("belongs to uid \(owner), and has to be uid 4000000000's")])
        #expect(homeBirth == nil, "the home is not that user's either")
    }

    @Test(.enabled(if: SmallDisk.isPossible, "needs the right to mount a tmpfs, which root has"))
    func `returns the creation time of the user's home`() throws {
        let disk = try SmallDisk(kibibytes: 64)
        let home = "\(disk.path)/home"
        #expect(mkdir(home, 0o700) == 0)
        let birth = try manifests(home + ManifestFolder.personalEnd).homeBirth
        #expect(birth != nil && birth == DirectoryBirth.microseconds(of: home, owner: geteuid()))
        try ask(.home(userID: geteuid(), path: home))
        #expect(try next().answer == birth.map { .home(bornMicroseconds: $0) })
        #expect(try next().answer == .end)
        for (user, path) in [(OtherUser.nobody, home), (geteuid(), "\(home)/../home"), (geteuid(), disk.path)] {
            try ask(.home(userID: user, path: path))
            #expect(try next().answer == .end, "\(path) of \(user)")
        }
    }

    @Test(arguments: ["nonsense", "p1x", String(repeating: "m", count: 8_192)])
    func `an unknown query ends the connection`(text: String) throws {
        let bytes = Array(text.utf8)
        #expect(send(socket.number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
        #expect(try process.wait(seconds: 60) == .exited(1))
    }

    @Test func `without a socket it prints its usage`() throws {
        let run = try CompletedProcess.run(try Products.program("waymark-inspector"), [])
        #expect(run.status == .exited(2))
    }
}
