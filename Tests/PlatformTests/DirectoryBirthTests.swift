import Glibc
import Platform
import TestSupport
import Testing

/// On a tmpfs(5), which always knows when a directory was made.
@Suite(.enabled(if: SmallDisk.isPossible, "needs the right to mount a tmpfs, which root has"))
struct DirectoryBirthTests {
    private let disk: SmallDisk
    private var home: String { "\(disk.path)/home" }

    init() throws {
        disk = try SmallDisk(kibibytes: 64)
        try #require(mkdir(home, 0o700) == 0)
    }

    private func birth(_ name: String = "home", owner: uid_t = 0) -> Int64? {
        DirectoryBirth.microseconds(of: "\(disk.path)/\(name)", owner: owner)
    }

    @Test func `a directory that is created again is younger, and one that is changed is not`() throws {
        let now = SystemClock().utcMicroseconds
        let first = try #require(birth())
        #expect((now - 60_000_000...now + 1_000_000).contains(first))
        let times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, home, times, 0) == 0)
        #expect(mkdir("\(home)/inside", 0o700) == 0)
        #expect(rename(home, "\(disk.path)/moved") == 0)
        #expect(birth("moved") == first)
        // The kernel's clock for that has ticks of some milliseconds.
        let isYounger = eventually {
            guard mkdir(home, 0o700) == 0, let birth = birth() else { return false }
            if birth > first { return true }
            rmdir(home)
            return false
        }
        #expect(isYounger)
    }

    @Test func `only a user's own directory has an age`() throws {
        #expect(birth() != nil)
        #expect(birth(owner: 4_711) == nil, "of somebody else")
        #expect(birth("nothing") == nil)
        #expect(symlink(home, "\(disk.path)/link") == 0)
        #expect(birth("link") == nil)
        close(open("\(disk.path)/file", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        #expect(birth("file") == nil)
        #expect(DirectoryBirth.microseconds(of: disk.path, owner: 0) == nil, "a file system is mounted there")
    }
}
