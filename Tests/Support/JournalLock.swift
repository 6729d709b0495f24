import CLinux
import Glibc
import Platform

/// A program that has locked a database for itself, so that nobody else can read it.
public final class JournalLock {
    private let program: ChildProcess

    /// Locks the database at a path.
    public init(_ path: String) throws {
        program = try ChildProcess(
            ChildProcess.Launch(
                "/usr/bin/sqlite3", ["-bail", path], input: .pipe, output: .pipe, isGuarded: true))
        let words = Array("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; SELECT 'locked';\n".utf8)
        try retrying("lock the database") { waymark_write_quietly(program.inputPipe, words, words.count) }
        guard try PollDeadline(seconds: 60).poll(program.outputPipe, for: POLLIN) else {
            throw SystemError("lock the database", code: ETIMEDOUT, subject: path)
        }
    }

    /// Releases it.
    public func release() { program.signal(SIGKILL) }

    deinit { release() }
}
