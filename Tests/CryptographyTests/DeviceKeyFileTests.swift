import Cryptography
import Glibc
import Platform
import TestSupport
import Testing

struct DeviceKeyFileTests {
    private let directory: TemporaryDirectory
    private let file: DeviceKeyFile

    init() throws {
        directory = try TemporaryDirectory()
        file = DeviceKeyFile(stateDirectory: directory.path)
    }

    private var path: String { directory.file("device.key") }

    private func mode() -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    private func contents() throws -> [UInt8] {
        let opened = try OwnedDescriptor("open", subject: path) { open(path, O_RDONLY) }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = read(opened.number, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    @Test func `a key is made at the first start and is the same at the next`() throws {
        let umaskBefore = umask(0)
        defer { umask(umaskBefore) }
        let first = try file.load()
        #expect(first.remarks == [.made])
        #expect(mode() == 0o600)
        let second = try file.load()
        #expect(second.key == first.key)
        #expect(second.remarks.isEmpty)
    }

    @Test func `a rotated key differs and persists`() throws {
        let first = try file.load().key
        let rotated = try file.rotate()
        #expect(rotated != first)
        #expect(try file.load().key == rotated)
        #expect(access(directory.file("device.key.new"), F_OK) != 0)
    }

    @Test(arguments: [0, 1, 8, 55, 57, 100])
    func `a file of another length is set aside and a new key made`(length: Int) throws {
        try directory.write("device.key", bytes: [UInt8](repeating: 7, count: length))
        chmod(path, 0o600)
        let loaded = try file.load()
        #expect(loaded.remarks == [.damaged(setAside: "device.key.damaged-1")])
        #expect(access(directory.file("device.key.damaged-1"), F_OK) == 0)
        #expect(try file.load().key == loaded.key)
    }

    @Test func `one flipped bit anywhere is noticed`() throws {
        _ = try file.load()
        let good = try contents()
        #expect(good.count == 56)
        for index in good.indices {
            var damaged = good
            damaged[index] ^= 1
            try directory.write("device.key", bytes: damaged)
            let remarks = try file.load().remarks
            #expect(remarks == [.damaged(setAside: "device.key.damaged-\(index + 1)")], "byte \(index)")
        }
        try directory.write("device.key", bytes: good)
        #expect(try file.load().remarks.isEmpty)
    }

    @Test func `a key that others could read is made private, and a remark reports it`() throws {
        let key = try file.load().key
        chmod(path, 0o644)
        let loaded = try file.load()
        #expect(loaded.key == key)
        #expect(loaded.remarks == [.wasOpenToOthers])
        #expect(mode() == 0o600)
        #expect(try file.load().remarks.isEmpty)
    }

    @Test func `an incomplete file left by a power failure does no harm`() throws {
        try directory.write("device.key.new", "half a k")
        #expect(try file.load().remarks == [.made])
        #expect(mode() == 0o600)
    }

    @Test func `a link, a pipe or a directory in the key's place is an error and remains`() throws {
        let target = try directory.write("elsewhere", "")
        symlink(target, path)
        #expect(throws: DeviceKeyError.self) { try file.load() }
        unlink(path)
        mkfifo(path, 0o600)
        #expect(throws: DeviceKeyError.self) { try file.load() }
        unlink(path)
        mkdir(path, 0o700)
        #expect(throws: DeviceKeyError.self) { try file.load() }
        rmdir(path)
    }

    @Test func `a missing state directory is an error`() {
        let elsewhere = DeviceKeyFile(stateDirectory: directory.file("nowhere"))
        #expect(throws: DeviceKeyError.self) { try elsewhere.load() }
    }
}
