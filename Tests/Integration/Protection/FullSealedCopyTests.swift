import Cryptography
import Glibc
import JSONText
import Platform
import SyncInterface
import TestClients
import TestHubs
import TestSupport
import TestTraits
import Testing
import Varlink

/// A sealed copy on a machine whose disk is full: a real hub, daemon, waymark-sync and file system.
@Suite(
    .waits, .serialized, .timeLimit(.minutes(5)),
    .enabled(
        if: SmallDisk.isPossible && OtherUser.isPossible, "needs the right to mount a tmpfs and to become another user")
)
struct FullSealedCopyTests {
    private static let passphrase = "a bicycle without a bell"

    private let apps: TestApps
    private let daemon: DaemonProcess
    private let hub: HubProcess
    private let disk: SmallDisk
    private let machine: SyncMachine
    private let tablet: HubDevice

    /// A machine with a passphrase, whose copy is on a small disk.
    init() throws {
        apps = try TestApps()
        daemon = try DaemonProcess(in: apps.directory, configuration: apps.configuration(), knowsLogins: false)
        hub = try HubProcess()
        tablet = try hub.join("tablet", "alice")
        disk = try SmallDisk(kibibytes: 32 << 10)
        let path = disk.path
        try retrying("give away", subject: path) { chown(path, OtherUser.nobody, OtherUser.nobody) }
        #expect(chmod(String(path.dropLast("/disk".count)), 0o755) == 0)
        machine = try SyncMachine(
            hub, as: "laptop", daemon: daemon.socketPath, user: OtherUser.nobody, copy: "\(path)/copy")
        try machine.use()
        try daemon.protection(["set-passphrase"], input: [Self.passphrase])
        try machine.waitFor(.sealed)
    }

    /// A file of bytes that look random, at the hub.
    private struct File {
        let bytes: [UInt8]
        let digest: String

        init(count: Int, seed: UInt32) {
            var random = SeededGenerator(seed: UInt64(seed))
            bytes = random.bytes(count)
            var hash = ContentHash()
            hash.update(bytes)
            digest = HexText.text(hash.digest)
        }
    }

    /// Attaches a file to a note of another machine, and waits until this one has the note.
    private func attach(_ file: File, to name: String) throws {
        let answer = try HTTPExchange.perform(
            "PUT", "\(HubDevice.zone("alice"))/assets/\(file.digest)",
            headers: ["Authorization: Bearer \(tablet.token ?? "")"], body: file.bytes, port: hub.port)
        #expect(answer?.status == 201)
        let asset = #"{"digest":"\#(file.digest)","size":\#(file.bytes.count)}"#
        let saved = try tablet.send(
            "PUT", "\(HubDevice.zone("alice"))/records/\(name)",
            #"{"type":"Note","fields":{"text":{"string":"\#(name)"},"photo":{"asset":\#(asset)}}}"#)
        #expect(saved.status == 201)
        try machine.call(SyncInterface.Synchronize())
    }

    private func read(_ file: File, of name: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let reply = try machine.call(
                SyncInterface.ReadAsset(
                    container: SyncMachine.container, zone: "notes", name: name, digest: file.digest,
                    offset: Int64(bytes.count)))
            guard let part = Base64.bytes(Array(reply.bytes.utf8)), !part.isEmpty else { return bytes }
            bytes += part
        }
    }

    /// Whether something fails because of the disk, with what a person can do.
    private func isFull(_ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return false
        } catch VarlinkError.reply(let name, let details) {
            #expect(name.hasSuffix(".NotStored") && "\(details)".contains("Free some space on the disk."), "\(details)")
            return true
        }
    }

    /// Saves notes that are smaller and smaller until none is stored any more, and returns the names of those that are.
    private func saveUntilFull(_ prefix: String) throws -> [String] {
        var saved: [String] = []
        for size in [300_000, 30_000, 3_000, 10] {
            let text = String(repeating: "x", count: size)
            while true {
                let name = "\(prefix)\(saved.count)"
                let record: JSON = [
                    "name": .string(name), "type": "Note", "fields": ["text": ["string": .string(text)]],
                ]
                let isFull = try isFull {
                    try machine.call(
                        SyncInterface.ModifyRecords(
                            container: SyncMachine.container, zone: "notes", request: ["save": [["record": record]]]))
                }
                if isFull { break }
                saved.append(name)
            }
        }
        return saved
    }

    /// The files of the copy that have some bytes.
    private func files(with bytes: ArraySlice<UInt8>) throws -> [String] {
        let names = DirectoryListing.names("\(disk.path)/copy")
        #expect(names.contains("sync.sealed") && !names.contains("sync.sqlite"), "\(names)")
        return try names.filter { name in
            let found = try BoundedFile.bytes(of: "\(disk.path)/copy/\(name)", limit: 1 << 26)
            return Bytes.contains(Array(bytes), in: found)
        }
    }

    @Test func `a sealed copy on a full disk loses nothing that it has acknowledged, and goes on when there is room`()
        throws
    {
        let (small, large) = (File(count: 100_000, seed: 1), File(count: 6 << 20, seed: 2))
        try attach(small, to: "small")
        try attach(large, to: "large")
        #expect(try read(small, of: "small") == small.bytes)
        // Enough for some parts of the large one.
        try disk.fill(butFor: 3 << 10)
        #expect(try isFull { _ = try read(large, of: "large") })
        try disk.fill()
        var saved = try saveUntilFull("a")
        #expect(try read(small, of: "small") == small.bytes)
        // Also for a program that is started, and gets its key, while the disk is full.
        try machine.crash()
        try machine.waitFor(.sealed)
        #expect(try read(small, of: "small") == small.bytes)
        #expect(try isFull { _ = try read(large, of: "large") })
        saved += try saveUntilFull("b")
        #expect(try files(with: small.bytes[4_000..<4_032]) == [])
        #expect(try files(with: large.bytes[4_000..<4_032]) == [])

        disk.free()
        #expect(try eventually { try Set(tablet.changes().changed.keys).isSuperset(of: saved) }, "\(machine.log)")
        #expect(try read(large, of: "large") == large.bytes)
        #expect(try files(with: large.bytes[4_000..<4_032]) == [])
    }
}
