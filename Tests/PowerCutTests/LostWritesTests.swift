import Glibc
import Platform
import PowerCut
import TestSupport
import TestTraits
import Testing

/// SQLite's own shell under the shim: synchronized writes survive a cut and others do not. Without the latter,
/// no test with the shim would mean anything.
@Suite(.waits) struct LostWritesTests {
    /// Runs a shell that reports each row once it is committed, until it is killed; returns how many rows exist
    /// afterwards.
    ///
    /// - Parameter checkpointPages: After how many pages in its write-ahead log SQLite copies them into the database,
    /// which
    ///   synchronizes both; 0 for never, after the empty table was created.
    /// - Parameter isIdle: Whether the shell has reported all rows when it is killed. Otherwise it is killed at work,
    ///   with rows that it has not reported yet.
    private static func rows(
        synchronous: String, journal: String, checkpointPages: Int = 16, isIdle: Bool = false, style: CutStyle,
        seed: UInt64
    ) throws -> (reported: Int, left: Int?) {
        var random = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let folder = directory.file("disk")
        try retrying("make", subject: folder) { mkdir(folder, 0o700) }
        let database = "\(folder)/rows.db"
        let shim = try PowerCutShim(watching: folder, in: directory)
        var disk = try SimulatedDisk(folder: folder)
        // SQLite does not synchronize the directory of a new database: its creator has to do that.
        try directory.write("disk/rows.db", "")
        disk = try SimulatedDisk(folder: folder)
        let shell = try #require(ExecutableSearch.find("sqlite3"))
        let command = shim.entrance(syncMicroseconds: 200) + [shell, "-batch", database]
        let process = try ChildProcess(
            ChildProcess.Launch(
                command[0], Array(command[1...]), input: .pipe, output: .pipe, error: .inherited, isGuarded: true))
        let most = 400
        var script = "PRAGMA journal_mode=\(journal);\nPRAGMA synchronous=\(synchronous);\n"
        script += "CREATE TABLE rows(number INTEGER PRIMARY KEY, text TEXT);\nPRAGMA wal_checkpoint(TRUNCATE);\n"
        script += "PRAGMA wal_autocheckpoint=\(checkpointPages);\n"
        let goal = Int.random(in: 20...(most / 2), using: &random)
        for number in 1...(isIdle ? goal : most) {
            script += "INSERT INTO rows VALUES(\(number), hex(randomblob(200)));\nSELECT 'told';\n"
        }
        let bytes = Array(script.utf8)
        var reported = 0
        var sent = 0
        var output: [UInt8] = []
        let deadline = PollDeadline(seconds: 120)
        while reported < goal, !deadline.hasPassed {
            let rest = bytes[sent...].prefix(4_096)
            if !rest.isEmpty {
                sent += max(0, rest.withUnsafeBytes { write(process.inputPipe, $0.baseAddress, $0.count) })
            }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            _ = try PollDeadline(seconds: 0.005).poll(process.outputPipe, for: POLLIN)
            let received = read(process.outputPipe, &buffer, buffer.count)
            output += buffer.prefix(max(0, received))
            reported = String(decoding: output, as: UTF8.self).split(separator: "\n").count { $0 == "told" }
        }
        #expect(reported >= goal, "\(String(decoding: output, as: UTF8.self))")
        process.signal(SIGKILL)
        _ = try process.wait(seconds: 60)
        try disk.follow(try shim.drainLog())
        try disk.cut(style, using: &random)
        let result = try CompletedProcess.run(
            shell,
            ["-batch", database, "PRAGMA integrity_check; SELECT count(*) || ' ' || ifnull(max(number), 0) FROM rows;"])
        let lines = result.output.split(separator: "\n")
        guard lines.first == "ok", lines.count == 2, let count = lines[1].split(separator: " ").first,
            lines[1] == "\(count) \(count)"
        else { return (reported, nil) }
        return (reported, Int(count))
    }

    @Test(arguments: CutStyle.allCases, [("FULL", "WAL"), ("EXTRA", "DELETE")])
    func `rows that SQLite has committed and synchronized survive a cut`(
        _ style: CutStyle, mode: (synchronous: String, journal: String)
    ) throws {
        for seed in 1...3 {
            let (reported, left) = try Self.rows(
                synchronous: mode.synchronous, journal: mode.journal, style: style, seed: UInt64(seed))
            let found = try #require(left, "the database is damaged, seed \(seed)")
            #expect(found >= reported, "seed \(seed)")
        }
    }

    @Test func `rows that SQLite has committed without synchronizing are lost, or the database is damaged`() throws {
        var harmed = 0
        for style in [CutStyle.nothing, .prefix, .pages, .sectors] {
            for seed in 1...2 {
                let (reported, left) = try Self.rows(
                    synchronous: "OFF", journal: "WAL", style: style, seed: UInt64(seed))
                if left.map({ $0 < reported }) ?? true { harmed += 1 }
                if style == .nothing { #expect(left.map { $0 < reported } ?? true, "seed \(seed): \(reported) told") }
            }
        }
        #expect(harmed >= 4, "\(harmed) of 8 cuts did harm")
    }

    @Test func `without a write-ahead log the newest row may be lost, unless the removal of its journal is safe too`()
        throws
    {
        let (reported, left) = try Self.rows(
            synchronous: "FULL", journal: "DELETE", isIdle: true, style: .nothing, seed: 1)
        #expect(try #require(left, "the database is not damaged") == reported - 1)
    }

    @Test func `with synchronous=NORMAL the write-ahead log loses the newest rows, as its documentation says`() throws {
        // A checkpoint synchronizes every row before it: if one came between the last reported row and the cut, that
        // row would be safe.
        let (reported, left) = try Self.rows(
            synchronous: "NORMAL", journal: "WAL", checkpointPages: 0, isIdle: true, style: .nothing, seed: 1)
        #expect(reported > 0)
        #expect(try #require(left, "the database is not damaged") == 0)
    }
}
