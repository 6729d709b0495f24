import Glibc
import Platform
import TestSupport
import Testing

@testable import Waymark

/// Files that no `StateStore` has written: none of them reaches the app, and the next state can be saved.
struct HostileStateTests {
    private let scene: StateScene

    init() throws { scene = try StateScene() }

    /// What becomes of the present file.
    private func reason() throws -> Restoration.DiscardReason? {
        let result = try scene.store().restore { _ in Issue.record("restored") }
        #expect(scene.names.allSatisfy { !$0.hasPrefix("restoration") }, "\(scene.names)")
        try scene.save(7)
        #expect(try scene.restore().number == 7)
        return result.reason
    }

    @Test func `a file with any byte changed, removed or added is discarded`() throws {
        let archive = try StateArchive { state in
            state.encode(1, for: .number)
            state.child("a") { $0.encode("b", for: .title) }
        }
        let file = try StateFile.encode(archive, version: 1)
        for index in file.indices {
            for change in [0x01, 0x20, 0x80] as [UInt8] {
                var changed = file
                changed[index] ^= change
                #expect(StateFile.decode(changed)?.archive == nil, "byte \(index)")
            }
            var shorter = file
            shorter.remove(at: index)
            #expect(StateFile.decode(shorter) == nil, "without byte \(index)")
            #expect(StateFile.decode(Array(file[..<index])) == nil, "the first \(index) bytes")
        }
        #expect(StateFile.decode(file + [0x20]) == nil)
        #expect(StateFile.decode(file)?.archive == archive)
        try scene.directory.write("restoration.state", bytes: Array(file.dropLast()))
        #expect(try reason() == .damaged)
    }

    /// Bodies with a valid checksum.
    @Test(
        arguments: [
            "", "null", "[]", "{}", #"{"version":1}"#, #"{"version":1.5,"objects":[]}"#,
            #"{"version":1,"objects":[{}]}"#, #"{"version":1,"objects":[{"path":["a"],"values":[["b"]]}]}"#,
            #"{"version":1,"objects":[{"path":["a"],"values":[["b",null]]}]}"#,
            #"{"version":1,"objects":[{"path":["a"],"values":[["b",{"bytes":"0"}]]}]}"#,
            #"{"version":1,"objects":[{"path":["a"],"values":[["b",{"bytes":"0g"}]]}]}"#,
            #"{"version":1,"objects":[{"path":["a"],"values":[["b",{"number":"1"}]]}]}"#,
            #"{"version":1,"objects":[{"path":["a","b"],"values":[]}]}"#,
            #"{"version":1,"objects":[{"path":["a"],"values":[]},{"path":["a"],"values":[]}]}"#,
            #"{"version":1,"objects":[{"path":[],"values":[]},{"path":[],"values":[]}]}"#,
            #"{"version":1,"objects":[{"path":[1],"values":[]}]}"#,
            String(repeating: "[", count: 100_000),
            #"{"version":1,"objects":[{"path":["# + Array(repeating: #""a""#, count: 33).joined(separator: ",")
                + #"],"values":[]}]}"#,
        ])
    func `a body that is none of the format is damaged`(_ body: String) throws {
        let body = Array(body.utf8)
        try scene.directory.write("restoration.state", bytes: StateFile.header(of: body) + body)
        #expect(try reason() == .damaged)
    }

    @Test func `random bytes, and an empty file, are damaged`() throws {
        var random = SeededGenerator(sample: 3)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(StateFile.decode(bytes) == nil)
        }
        try scene.directory.write("restoration.state", bytes: [])
        #expect(try reason() == .damaged)
    }

    @Test func `a file that is larger than the limit is not read`() throws {
        try scene.directory.write("restoration.state", bytes: [])
        try retrying("truncate") { truncate(scene.file, off_t(1) << 40) }
        #expect(try reason() == .tooLarge)
    }

    @Test func `a link is not followed, and its target stays as it is`() throws {
        try scene.save(1)
        let target = scene.directory.file("target")
        try retrying("rename") { rename(scene.file, target) }
        try retrying("link") { symlink(target, scene.file) }
        #expect(try reason() == .foreign)
        try retrying("link") { link(target, scene.file) }
        #expect(try reason() == .foreign)
        #expect(access(target, F_OK) == 0)
    }

    @Test func `a special file is not opened`() throws {
        try retrying("mkfifo") { mkfifo(scene.file, 0o600) }
        #expect(try reason() == .foreign)
        try retrying("mkdir") { mkdir(scene.file, 0o700) }
        #expect(try reason() == .foreign)
    }

    @Test(arguments: [0o620, 0o602] as [mode_t]) func `a file that others can write is not used`(_ mode: mode_t) throws
    {
        try scene.save(1)
        try retrying("chmod") { chmod(scene.file, mode) }
        #expect(try reason() == .foreign)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file to another user"))
    func `a file or a folder of another user is not used`() throws {
        try scene.save(1)
        try retrying("chown") { chown(scene.file, OtherUser.nobody, 0) }
        #expect(try reason() == .foreign)
        try retrying("chown") { chown(scene.directory.path, OtherUser.nobody, 0) }
        #expect(throws: StateStoreError.folderOfOthers(path: scene.directory.path)) { try scene.store() }
    }

    @Test func `a folder that others can write is not used`() throws {
        try retrying("chmod") { chmod(scene.directory.path, 0o770) }
        let error = #expect(throws: StateStoreError.self) { try scene.store() }
        #expect(error == .folderOfOthers(path: scene.directory.path))
        #expect(error?.description.contains("mode 0700") == true)
    }

    @Test func `whatever a crash has left as a draft, the next state is saved`() throws {
        let draft = scene.file + ".new"
        try retrying("mkfifo") { mkfifo(draft, 0o600) }
        try scene.save(1)
        try retrying("link") { symlink(scene.directory.file("elsewhere"), draft) }
        try scene.save(2)
        #expect(try scene.restore().number == 2)
        #expect(scene.names == [])
    }
}
