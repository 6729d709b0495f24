import Glibc
import Platform
import TestSupport
import Testing

@testable import Daemon

/// What logind's properties say of users' screens.
@Suite struct LockedSessionsTests {
    private var sessions = LockedSessions()

    private mutating func set(_ path: String, uid: UInt32, seat: String = "seat0", kind: String = "user", _ hint: Bool)
    {
        _ = sessions.add(path)
        sessions.set(
            [
                "User": .structure([.uint32(uid), .path("/u")]), "Seat": .structure([.string(seat), .path("/s")]),
                "Class": .string(kind), "LockedHint": .bool(hint),
            ], of: path)
    }

    @Test mutating func `a user is locked if all sessions at a seat are`() {
        set("/1", uid: 7, true)
        #expect(sessions.users == [7] && sessions.hasScreen("/1"))
        set("/2", uid: 7, false)
        #expect(sessions.users == [])
        sessions.set(["LockedHint": .bool(true)], of: "/2")
        set("/3", uid: 8, true)
        #expect(sessions.users == [7, 8])
        sessions.remove("/3")
        #expect(sessions.users == [7])
    }

    @Test mutating func `a session without a seat and a greeter have no say`() {
        set("/1", uid: 7, seat: "", true)
        set("/2", uid: 8, kind: "greeter", true)
        #expect(sessions.users == [] && !sessions.hasScreen("/1") && !sessions.hasScreen("/2"))
        set("/3", uid: 7, true)
        set("/4", uid: 7, seat: "", false)
        #expect(sessions.users == [7], "a session of ssh does not unlock the screen")
    }

    @Test mutating func `unknown sessions, other types and too many are ignored`() {
        sessions.set(["LockedHint": .bool(true)], of: "/1")
        #expect(sessions == LockedSessions())
        set("/1", uid: 7, true)
        sessions.set(["User": .other, "Seat": .string("x"), "Class": .bool(true), "LockedHint": .uint32(0)], of: "/1")
        #expect(sessions.users == [7])
        let added = (0..<LockedSessions.most).map { sessions.add("/more/\($0)") }
        #expect(added.count { $0 } == LockedSessions.most - 1)
    }
}

/// A private bus, and on it a logind of the test's own.
@Suite(.enabled(if: access("/usr/bin/dbus-daemon", X_OK) == 0, "dbus-daemon is not installed"))
struct SessionLocksTests {
    private let bus: PrivateBus

    init() throws {
        LoopThread.start()
        bus = try PrivateBus()
    }

    @DaemonActor private final class Reported {
        var users: [Set<UInt32>] = []
        var locks = 0

        var received: Changes {
            Changes { [self] change in
                switch change {
                case .screensChanged(let users): self.users.append(users)
                case .screenLocked: locks += 1
                default: break
                }
            }
        }
    }

    @DaemonActor private func listen(_ reported: Reported) -> SessionLocks {
        let locks = SessionLocks(.at(bus.address), changes: reported.received)
        locks.start()
        return locks
    }

    @DaemonActor private func isReported(_ reported: Reported, _ users: [Set<UInt32>]) async throws -> Bool {
        try await eventually { () async throws -> Bool in reported.users == users }
    }

    @Test @DaemonActor func `locked screens are known at the start, and every change is reported`() async throws {
        let desk = try LoginDesk(
            bus, ["_31": .init(uid: 7, isLocked: true), "_32": .init(uid: 8), "c1": .init(uid: 9)])
        let reported = Reported()
        let locks = listen(reported)
        #expect(try await isReported(reported, [[7]]))
        #expect(reported.locks == 0, "what was locked before is no news")
        desk.setLocked("_32", true)
        #expect(try await isReported(reported, [[7], [7, 8]]))
        #expect(reported.locks == 1)
        desk.setLocked("_31", false)
        #expect(try await isReported(reported, [[7], [7, 8], [8]]))
        desk.remove("_32")
        #expect(try await isReported(reported, [[7], [7, 8], [8], []]))
        desk.add("_33", .init(uid: 8, isLocked: true))
        #expect(try await isReported(reported, [[7], [7, 8], [8], [], [8]]))
        #expect(reported.locks == 2)
        locks.stop()
        desk.leave()
    }

    @Test @DaemonActor func `a request to lock is reported, and leaves the state`() async throws {
        let desk = try LoginDesk(bus, ["_31": .init(uid: 7), "_32": .init(uid: 7, seat: "")])
        let reported = Reported()
        let locks = listen(reported)
        #expect(try await isReported(reported, [[]]))
        // One without a screen has nothing to lock.
        desk.requestLock("_32")
        desk.requestLock("_31")
        #expect(try await eventually { () async throws -> Bool in reported.locks == 1 })
        desk.setLocked("_31", true)
        #expect(try await isReported(reported, [[], [7]]))
        #expect(reported.locks == 2)
        locks.stop()
        desk.leave()
    }

    @Test @DaemonActor func `a logind that restarts unlocks no screen`() async throws {
        let reported = Reported()
        let locks = listen(reported)
        #expect(try await isReported(reported, [[]]), "without a logind nothing is locked")
        var desk = try LoginDesk(bus, ["_31": .init(uid: 7, isLocked: true), "_32": .init(uid: 8, isLocked: true)])
        #expect(try await isReported(reported, [[], [7, 8]]))
        desk.leave()
        try bus.stop()
        try await elapsed(.milliseconds(200))
        #expect(reported.users == [[], [7, 8]])
        try bus.start()
        desk = try LoginDesk(bus, ["_31": .init(uid: 7, isLocked: true), "_32": .init(uid: 8)])
        #expect(try await isReported(reported, [[], [7, 8], [7]]))
        #expect(reported.locks == 1, "what was locked before is no news")
        locks.stop()
        desk.leave()
    }

    @Test @DaemonActor func `signals from other senders than logind are ignored`() async throws {
        let desk = try LoginDesk(bus, ["_31": .init(uid: 7, isLocked: true)])
        let other = try LoginDesk(bus, ["_31": .init(uid: 7, isLocked: true)], ownsName: false)
        let reported = Reported()
        let locks = listen(reported)
        #expect(try await isReported(reported, [[7]]))
        other.setLocked("_31", false)
        other.remove("_31")
        other.requestLock("_31")
        try await elapsed(.milliseconds(200))
        desk.add("_32", .init(uid: 8, isLocked: true))
        #expect(try await isReported(reported, [[7], [7, 8]]))
        #expect(reported.locks == 1)
        locks.stop()
        desk.leave()
        other.leave()
    }
}
