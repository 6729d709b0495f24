import Location
import Testing

@testable import Protection

@Suite struct DataLockTests {
    private let second: UInt64 = 1_000_000_000

    private func unlocked(lockAfter: UInt64 = 0) -> DataLock {
        var lock = DataLock()
        lock.lockAfter = lockAfter
        lock.found()
        _ = lock.unlock(at: 0)
        return lock
    }

    @Test func `a machine without a passphrase is open, and cannot be locked`() {
        var lock = DataLock()
        #expect(lock.access == .unlocked && lock.deadline == nil)
        #expect(lock.lock(at: 5) == [])
        #expect(lock.timePassed(at: .max) == [])
        #expect(lock.state == .open)
    }

    @Test func `after a start with a file of keys nothing is unlocked, until a secret was right`() {
        var lock = DataLock()
        lock.found()
        #expect(lock.access == .neverUnlocked)
        #expect(lock.lock(at: 1) == [] && lock.access == .neverUnlocked)
        #expect(lock.unlock(at: 2) == [.useKeys])
        #expect(lock.access == .unlocked && lock.state == .unlocked(since: 2))
        lock.found()
        #expect(lock.state == .unlocked(since: 2))
    }

    @Test func `apps have ten seconds before the keys are dropped`() {
        var lock = unlocked()
        #expect(lock.lock(at: second) == [.announce])
        #expect(lock.access == .unlocked && lock.deadline == 11 * second)
        // A second request does not extend the time.
        #expect(lock.lock(at: 5 * second) == [] && lock.deadline == 11 * second)
        #expect(lock.timePassed(at: 11 * second - 1) == [])
        #expect(lock.timePassed(at: 11 * second) == [.dropKeys])
        #expect(lock.access == .locked && lock.deadline == nil)
        #expect(lock.timePassed(at: 12 * second) == [])
        #expect(lock.unlock(at: 13 * second) == [.useKeys])
    }

    @Test func `an unlock within the ten seconds ends the locking`() {
        var lock = unlocked()
        _ = lock.lock(at: 0)
        #expect(lock.unlock(at: 3) == [.useKeys])
        #expect(lock.timePassed(at: 60 * second) == [])
        #expect(lock.access == .unlocked)
    }

    @Test(
        arguments: [
            (100, nil, 60, 30, 160, "time"), (100, 120, 60, 30, 150, "idle"), (100, 20, 60, 30, 130, "idle"),
            (100, 150, 60, 30, 160, "time"), (100, 150, 0, 30, 180, "idle"), (100, 150, 60, 0, 160, "time"),
        ] as [(UInt64, UInt64?, UInt64, UInt64, UInt64, String)])
    func `unlocked data is locked when nobody uses the machine, or after a time`(
        _ unlockedAt: UInt64, _ idleSince: UInt64?, _ lockAfter: UInt64, _ lockWhenIdle: UInt64, _ instant: UInt64,
        _ cause: String
    ) {
        var lock = unlocked(lockAfter: lockAfter)
        lock.lockWhenIdle = lockWhenIdle
        _ = lock.unlock(at: unlockedAt)
        lock.idleSince = idleSince
        #expect(lock.due?.instant == instant && lock.due?.cause.rawValue == cause)
        #expect(lock.timePassed(at: instant - 1) == [])
        #expect(lock.timePassed(at: instant) == [.announce] && lock.due == nil)
    }

    @Test func `a machine of which it is not known whether somebody uses it is not locked for that`() {
        var lock = unlocked()
        lock.lockWhenIdle = 30 * second
        #expect(lock.deadline == nil)
        lock.idleSince = 5 * second
        #expect(lock.deadline == 35 * second)
        // Somebody uses it again.
        lock.idleSince = nil
        #expect(lock.deadline == nil && lock.timePassed(at: .max) == [])
    }

    @Test func `the data is locked by itself so long after the last unlock`() {
        var lock = unlocked(lockAfter: 60 * second)
        #expect(lock.deadline == 60 * second)
        _ = lock.unlock(at: 30 * second)
        #expect(lock.timePassed(at: 60 * second) == [])
        #expect(lock.timePassed(at: 90 * second) == [.announce])
        #expect(lock.timePassed(at: 100 * second) == [.dropKeys])
    }
}
