import Glibc
import Location
import Platform
import Testing

@testable import Daemon

@Suite struct BacklogTests {
    private let second: UInt64 = 1_000_000_000

    private func time(_ seconds: Double) -> UTCTime {
        UTCTime(microseconds: 1_780_000_000_000_000 + Int64(seconds * 1e6))
    }

    @Test func `what came while nobody read came as far apart as the receiver says`() {
        var backlog = Backlog(since: 100 * second)
        let now = 140 * second
        #expect(backlog.arrival(of: nil, at: now) == 100 * second)
        #expect(backlog.arrival(of: time(0), at: now) == 100 * second)
        #expect(backlog.arrival(of: time(0.5), at: now) == 100 * second + second / 2)
        #expect(backlog.arrival(of: nil, at: now) == 100 * second + second / 2)
        #expect(backlog.arrival(of: time(35), at: now) == 135 * second)
    }

    @Test func `nothing came later than now, before what came before it, or ages ago`() {
        var backlog = Backlog(since: 100 * second)
        let now = 103 * second
        #expect(backlog.arrival(of: time(0), at: now) == 100 * second)
        #expect(backlog.arrival(of: time(60), at: now) == now)
        #expect(backlog.arrival(of: time(1), at: now) == now)
        #expect(backlog.arrival(of: time(-1e9), at: now) == now)
        #expect(backlog.arrival(of: time(1e9), at: now) == now)
        // A mark that makes no sense.
        var broken = Backlog(since: .max)
        #expect(broken.arrival(of: time(0), at: now) == now)
        #expect(broken.arrival(of: time(5), at: now) == now)
    }

    @Test @DaemonActor func `the moment of the last reading outlives who made it`() throws {
        let mark = try ReadMark()
        #expect(mark.lastRead == 0)
        mark.lastRead = 42
        let next = try ReadMark(adopting: OwnedDescriptor("dup") { dup(mark.descriptor) })
        #expect(next.lastRead == 42)
        next.lastRead = 43
        #expect(mark.lastRead == 43)
        for path in ["/dev/null", "/proc/self/exe", "/"] {
            #expect(throws: SystemError.self) {
                _ = try ReadMark(adopting: OwnedDescriptor("open") { open(path, O_RDONLY | O_CLOEXEC) })
            }
        }
    }
}
