import Glibc
import Platform
import TestSupport
import Testing

@testable import Manifests

struct ExaminedFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func `what is opened is what was examined, whatever has its name by then`() throws {
        let path = try directory.write("one.app", "examined")
        let secret = try directory.write("secret", "swapped in")
        let link = directory.file("link.app")
        try retrying("link") { symlink(path, link) }
        let named = try ExaminedFile(path)
        let linked = try ExaminedFile(link)
        try retrying("unlink") { unlink(link) }
        try retrying("link") { symlink(secret, link) }
        try retrying("rename") { rename(secret, path) }
        for file in [try named.open().release(), try linked.open().release()] {
            let opened = OwnedDescriptor(adopting: file)
            #expect(try BoundedFile.bytes(from: opened.number, limit: 100) == Array("examined".utf8))
        }
    }

    @Test func `neither a FIFO nor a device is opened`() throws {
        let fifo = directory.file("fifo")
        try retrying("mkfifo") { mkfifo(fifo, 0o600) }
        for path in [fifo, "/dev/zero"] {
            let file = try ExaminedFile(path)
            let (isRegular, isNullDevice) = (file.isRegular, file.isNullDevice)
            #expect(!isRegular)
            #expect(!isNullDevice)
            var refusal: Int32 = 0
            do { try file.open().close() } catch { refusal = error.code }
            #expect(refusal == EINVAL)
        }
        let isNullDevice = try ExaminedFile("/dev/null").isNullDevice
        #expect(isNullDevice)
    }

    @Test func `a file is below the folder that has it, through whatever link it is reached`() throws {
        try directory.write("home/a/x.app", "")
        try directory.write("house/x.app", "")
        try retrying("link") { symlink(directory.file("house"), directory.file("home/b")) }
        let home = directory.file("home")
        func isBelow(_ path: String, _ folder: String) throws -> Bool { try ExaminedFile(path).isBelow(folder) }
        #expect(try isBelow(home + "/a/x.app", home))
        #expect(try isBelow(home, home))
        #expect(try !isBelow(home + "/b/x.app", home))
        #expect(try !isBelow(directory.file("house"), home))
        #expect(try isBelow(home, "/"))
    }
}
