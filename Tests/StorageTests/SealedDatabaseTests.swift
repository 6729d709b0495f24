import Cryptography
import Glibc
import Platform
import TestSupport
import Testing

@testable import Storage

/// A database whose pages are sealed.
@Suite(.timeLimit(.minutes(5))) struct SealedDatabaseTests {
    static let schema = schema("test.sealed")
    static let plainSchema = schema("test.sqlite")
    /// A text that no file may contain.
    static let marker = "the house by the river"

    let directory: TemporaryDirectory
    let key: SymmetricKey
    let files: SealedFileSystem

    init() throws {
        directory = try TemporaryDirectory()
        key = try SymmetricKey.random()
        files = try SealedFileSystem(key)
    }

    private static func schema(_ name: String) -> DatabaseSchema {
        DatabaseSchema(
            fileName: name, lockName: "test.lock", noun: "a test's database", applicationID: 0x5761_7901,
            steps: [
                """
                PRAGMA application_id = \(0x5761_7901);
                CREATE TABLE places (id INTEGER PRIMARY KEY, name TEXT NOT NULL, bytes BLOB);
                CREATE VIRTUAL TABLE boxes USING rtree (number, low, high);
                """
            ])
    }

    private func open(
        _ path: String? = nil, sealedBy other: SealedFileSystem? = nil
    ) throws(StorageError) -> Database {
        let directory = try StateDirectory(path: path ?? directory.path, Self.schema)
        return try Database.open(in: directory, sealedBy: other ?? files)
    }

    private func fill(_ database: borrowing Database, _ rows: ClosedRange<Int>) throws(StorageError) {
        try database.transaction(as: "fill") { () throws(StorageError) in
            let place = try Statement(database, "INSERT INTO places VALUES (?, ?, ?)", as: "fill")
            let box = try Statement(database, "INSERT INTO boxes VALUES (?, ?, ?)", as: "fill")
            for row in rows {
                let bytes = [UInt8](repeating: UInt8(row % 251), count: row % 3_000)
                try place.run([.integer(Int64(row)), .text("\(Self.marker) \(row)"), .blob(bytes)])
                try box.run([.integer(Int64(row)), .real(Double(row)), .real(Double(row + 1))])
            }
        }
    }

    /// The number of rows whose contents are what `fill` has written; nil if any is something else.
    private func count(_ database: borrowing Database) throws(StorageError) -> Int? {
        var (count, isRight) = (0, true)
        try Statement(database, "SELECT id, name, bytes FROM places ORDER BY id", as: "count").run { row in
            let id = Int(row.integer(0))
            isRight = isRight && row.text(1) == "\(Self.marker) \(id)"
            isRight = isRight && row.withBytes(2) { $0.count == id % 3_000 && $0.allSatisfy { $0 == UInt8(id % 251) } }
            count += 1
            return true
        }
        let boxes = try database.integer("SELECT count(*) FROM boxes WHERE low >= 0", as: "count")
        return isRight && boxes == Int64(count) ? count : nil
    }

    private func stored() throws -> [(name: String, bytes: [UInt8])] {
        try ["test.sealed", "test.sealed-wal", "test.sealed-journal", "test.sealed.new"].compactMap { name in
            access("\(directory.path)/\(name)", F_OK) == 0 ? (name, try directory.bytes(name)) : nil
        }
    }

    private static func contains(_ bytes: [UInt8], _ text: String = marker) -> Bool {
        Bytes.contains(Array(text.utf8), in: bytes)
    }

    /// A copy of the files as they are now, as after a crash.
    private func crash(_ change: (inout [UInt8], String) -> Void = { _, _ in }) throws -> TemporaryDirectory {
        let copy = try TemporaryDirectory()
        for (name, bytes) in try stored() {
            var bytes = bytes
            change(&bytes, name)
            try copy.write(name, bytes: bytes)
        }
        return copy
    }

    @Test func `what was stored is read again, and no file contains it`() throws {
        do {
            let database = try open()
            try fill(database, 1...500)
            #expect(try count(database) == 500)
            let logged = try stored()
            #expect(logged.contains { $0.name == "test.sealed-wal" && $0.bytes.count > 100_000 })
            for file in logged {
                #expect(!Self.contains(file.bytes), "\(file.name)")
                #expect(!Self.contains(file.bytes, "SQLite format 3"), "\(file.name)")
                #expect(!Self.contains(file.bytes, "CREATE TABLE"), "\(file.name)")
            }
        }
        #expect(try stored().allSatisfy { !Self.contains($0.bytes) })
        let database = try open()
        #expect(try count(database) == 500)
        try Statement(database, "PRAGMA integrity_check", as: "check").first { #expect($0.text(0) == "ok") }
        try fill(database, 501...600)
        try database.execute("DELETE FROM places WHERE id <= 400; DELETE FROM boxes WHERE number <= 400", as: "delete")
        try database.execute("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)", as: "vacuum")
        #expect(try count(database) == 200)
        #expect(try stored().allSatisfy { !Self.contains($0.bytes) })
    }

    @Test func `the marker would be found in a plain file`() throws {
        let plain = try StateDirectory(path: directory.path, Self.plainSchema)
        do { try fill(Database.open(in: plain), 1...10) }
        #expect(Self.contains(try directory.bytes("test.sqlite")))
    }

    @Test func `after a crash everything that was committed is there`() throws {
        let database = try open()
        try fill(database, 1...50)
        try database.execute("PRAGMA wal_checkpoint", as: "checkpoint")
        try fill(database, 51...90)
        try fill(database, 91...120)
        let copy = try crash()
        #expect(try count(open(copy.path)) == 120)
    }

    @Test func `a log that was cut anywhere has the transactions before the cut`() throws {
        let database = try open()
        try fill(database, 1...20)
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)", as: "checkpoint")
        for first in stride(from: 21, through: 61, by: 20) { try fill(database, first...(first + 19)) }
        let length = try directory.bytes("test.sealed-wal").count
        var seen: Set<Int> = []
        for cut in Array(stride(from: 0, to: length, by: 997)) + [length] {
            let copy = try crash { bytes, name in if name.hasSuffix("-wal") { bytes.removeLast(bytes.count - cut) } }
            let count = try #require(try count(open(copy.path)), "cut at \(cut)")
            #expect(count % 20 == 0 && count <= 80)
            seen.insert(count)
        }
        #expect(seen == [20, 40, 60, 80])
    }

    @Test func `a transaction larger than the cache is written more than once and read again`() throws {
        do {
            let database = try open()
            try database.transaction(as: "fill") { () throws(StorageError) in
                for _ in 0..<3 {
                    try database.execute("DELETE FROM places; DELETE FROM boxes", as: "fill")
                    let insert = try Statement(database, "INSERT INTO places VALUES (?, ?, ?)", as: "fill")
                    let box = try Statement(database, "INSERT INTO boxes VALUES (?, ?, ?)", as: "fill")
                    for row in 1...1_500 {
                        let bytes = [UInt8](repeating: UInt8(row % 251), count: row % 3_000)
                        try insert.run([.integer(Int64(row)), .text("\(Self.marker) \(row)"), .blob(bytes)])
                        try box.run([.integer(Int64(row)), .real(Double(row)), .real(Double(row + 1))])
                    }
                }
            }
            let copy = try crash()
            #expect(try count(open(copy.path)) == 1_500)
        }
        #expect(try count(open()) == 1_500)
    }

    @Test func `a changed byte is an error, and never another content`() throws {
        do { try fill(open(), 1...100) }
        let length = try directory.bytes("test.sealed").count
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            let (offset, bit) = (Int.random(in: 0..<length, using: &random), Int.random(in: 0..<8, using: &random))
            let copy = try crash { bytes, _ in bytes[offset] ^= 1 << bit }
            do throws(StorageError) {
                let found = try count(open(copy.path))
                // The change was in a page that nothing needs.
                #expect(found == 100, "offset \(offset)")
            } catch {
                #expect(error.isDamage, "\(error)")
            }
        }
    }

    @Test func `exchanged pages are an error`() throws {
        do { try fill(open(), 1...100) }
        let copy = try crash { bytes, _ in
            let size = SealedPage.size
            for index in 0..<size { bytes.swapAt(4 * size + index, 5 * size + index) }
        }
        #expect(throws: StorageError.self) { try count(open(copy.path)) }
    }

    @Test func `another key opens nothing and changes nothing`() throws {
        do { try fill(open(), 1...10) }
        let before = try directory.bytes("test.sealed")
        let other = try SealedFileSystem(SymmetricKey.random())
        do throws(StorageError) {
            _ = try open(sealedBy: other)
            Issue.record("it was opened")
        } catch { #expect(error.isDamage) }
        #expect(try directory.bytes("test.sealed") == before)
        #expect(try count(open()) == 10)
    }

    @Test func `a rollback journal would be plain, and is refused`() throws {
        let database = try open()
        try fill(database, 1...10)
        #expect(throws: StorageError.self) { try database.execute("PRAGMA journal_mode = DELETE", as: "leave the log") }
        #expect(try stored().allSatisfy { !Self.contains($0.bytes) })
        #expect(try count(database) == 10)
    }

    // From plain to sealed

    private var remaining: [String] {
        let names = ["test.sqlite", "test.sealed"].flatMap { name in ["", "-wal", "-shm", ".new"].map { name + $0 } }
        return names.filter { access("\(directory.path)/\($0)", F_OK) == 0 }
    }

    private func makePlain(_ rows: ClosedRange<Int>) throws {
        try fill(Database.open(in: StateDirectory(path: directory.path, Self.plainSchema)), rows)
    }

    private func seal() throws(StorageError) {
        try Database.seal(Self.plainSchema, as: Self.schema, in: directory.path, with: files)
    }

    @Test func `a plain database becomes a sealed one, and is removed`() throws {
        try makePlain(1...300)
        try seal()
        #expect(remaining == ["test.sealed"])
        #expect(!Self.contains(try directory.bytes("test.sealed")))
        let database = try open()
        #expect(try count(database) == 300)
        #expect(try database.integer("PRAGMA user_version", as: "read") == 1)
        #expect(try database.integer("PRAGMA auto_vacuum", as: "read") == 2)
        // Again, with nothing left to do.
        try seal()
        #expect(try count(database) == 300)
    }

    @Test func `a crash while it is sealed leaves one that is complete`() throws {
        try makePlain(1...50)
        // The copy was not complete.
        try directory.write("test.sealed.new", bytes: [UInt8](repeating: 1, count: 5_000))
        try seal()
        #expect(try count(open()) == 50)
        // The copy was complete, and the plain one not removed yet.
        try makePlain(1...3)
        try seal()
        #expect(remaining == ["test.sealed"])
        #expect(try count(open()) == 50)
    }

    @Test func `a full disk leaves the plain database`() throws {
        guard SmallDisk.isPossible else { return }
        let disk = try SmallDisk(kibibytes: 1_024)
        do { try fill(Database.open(in: StateDirectory(path: disk.path, Self.plainSchema)), 1...200) }
        try disk.fill()
        #expect(throws: StorageError.self) {
            try Database.seal(Self.plainSchema, as: Self.schema, in: disk.path, with: files)
        }
        #expect(access("\(disk.path)/test.sealed", F_OK) != 0 && access("\(disk.path)/test.sealed.new", F_OK) != 0)
        disk.free()
        let plain = try StateDirectory(path: disk.path, Self.plainSchema)
        #expect(try count(Database.open(in: plain)) == 200)
    }
}
