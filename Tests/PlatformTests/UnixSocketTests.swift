import Glibc
import Platform
import TestSupport
import Testing

@Suite struct UnixSocketTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `a peer is the process that connected`() throws {
        let path = directory.file("peer.sock")
        let listener = try UnixSocket.listen(path: path, mode: 0o666)
        let client = try UnixSocket.connect(path: path)
        guard let accepted = try UnixSocket.accept(listener.number) else {
            Issue.record("nobody waits")
            return
        }
        let peer = try PeerIdentity(socket: accepted.number)
        #expect(peer.processID == getpid())
        #expect(peer.userID == geteuid())
        #expect(peer.groupID == getegid())
        #expect(peer.belongs(to: getegid()))
        #expect(peer.isAlive)
        #expect(client.number >= 0)
    }

    @Test func `accepting without a pending connection is no error`() throws {
        let path = directory.file("empty.sock")
        let listener = try UnixSocket.listen(path: path, mode: 0o600)
        if try UnixSocket.accept(listener.number) != nil { Issue.record("somebody waits") }
    }

    @Test func `the file has the mode asked for, whatever the umask`() throws {
        let path = directory.file("mode.sock")
        let listener = try UnixSocket.listen(path: path, mode: 0o666)
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o666)
        #expect(listener.number >= 0)
    }

    @Test func `a socket file without a listener is replaced`() throws {
        let path = directory.file("stale.sock")
        do {
            let first = try UnixSocket.listen(path: path, mode: 0o666)
            // Also the copy that a program has until it is executed, which another test is just starting.
            shutdown(first.number, Int32(SHUT_RDWR))
        }
        let listener = try UnixSocket.listen(path: path, mode: 0o666)
        _ = try UnixSocket.connect(path: path)
        #expect(listener.number >= 0)
    }

    @Test func `a socket that somebody answers on is left alone`() throws {
        let path = directory.file("busy.sock")
        let first = try UnixSocket.listen(path: path, mode: 0o666)
        #expect(throws: SystemError("bind", code: EADDRINUSE, subject: path)) {
            _ = try UnixSocket.listen(path: path, mode: 0o666)
        }
        _ = try UnixSocket.connect(path: path)
        #expect(first.number >= 0)
    }

    @Test func `a file that is no socket is left alone`() throws {
        let path = directory.file("file")
        let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
        close(descriptor)
        #expect(throws: SystemError("bind", code: EEXIST, subject: path)) {
            _ = try UnixSocket.listen(path: path, mode: 0o666)
        }
        #expect(access(path, F_OK) == 0)
    }

    @Test(arguments: [0, 108, 4096]) func `a path that no socket can have is refused`(length: Int) {
        #expect(throws: SystemError.self) {
            _ = try UnixSocket.listen(path: String(repeating: "a", count: length), mode: 0o666)
        }
    }
}
