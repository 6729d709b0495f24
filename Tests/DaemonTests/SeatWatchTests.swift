import Glibc
import Platform
import TestSupport
import Testing

@testable import Daemon

/// What logind's properties say of users' screens.
@Suite struct SeatSessionsTests {
    private var sessions = SeatSessions()

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
        #expect(sessions.users == [7] && (sessions.userOfScreen("/1") != nil))
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
        #expect(sessions.users == [] && !(sessions.userOfScreen("/1") != nil) && !(sessions.userOfScreen("/2") != nil))
        set("/3", uid: 7, true)
        set("/4", uid: 7, seat: "", false)
        #expect(sessions.users == [7], "a session of ssh does not unlock the screen")
    }

    @Test mutating func `unknown sessions, other types and too many are ignored`() {
        sessions.set(["LockedHint": .bool(true)], of: "/1")
        #expect(sessions == SeatSessions())
        set("/1", uid: 7, true)
        sessions.set(["User": .other, "Seat": .string("x"), "Class": .bool(true), "LockedHint": .uint32(0)], of: "/1")
        #expect(sessions.users == [7])
        let added = (0..<SeatSessions.most).map { sessions.add("/more/\($0)") }
        #expect(added.count { $0 } == SeatSessions.most - 1)
    }
}

extension SeatSessionsTests {
    private mutating func setIdle(_ path: String, since microseconds: UInt64?) {
        sessions.set(
            [
                "IdleHint": .bool(microseconds != nil), "IdleSinceHintMonotonic": .uint64(microseconds ?? 0),
            ], of: path)
    }

    @Test mutating func `nobody uses a machine if all sessions at a seat are idle`() {
        #expect(sessions.idleSince == nil && !sessions.hasScreens)
        set("/1", uid: 7, false)
        set("/2", uid: 8, true)
        set("/3", uid: 7, seat: "", false)
        set("/4", uid: 9, kind: "greeter", false)
        setIdle("/1", since: 5)
        #expect(sessions.idleSince == nil && sessions.hasScreens)
        setIdle("/2", since: 3)
        #expect(sessions.idleSince == 5_000, "that which was used last decides")
        setIdle("/2", since: .max)
        #expect(sessions.idleSince == .max)
        setIdle("/1", since: nil)
        #expect(sessions.idleSince == nil)
        sessions.remove("/1")
        sessions.remove("/2")
        #expect(sessions.idleSince == nil && !sessions.hasScreens)
    }

    @Test mutating func `text consoles at a seat are to be examined`() {
        for (path, seat, type) in [("/1", "seat0", "tty"), ("/2", "", "tty"), ("/3", "seat0", "wayland")] {
            set(path, uid: 7, seat: seat, false)
            sessions.set(["Type": .string(type)], of: path)
        }
        #expect(sessions.consoles == ["/1"])
    }
}

/// A private bus, and on it a logind of the test's own.
@Suite(.enabled(if: access("/usr/bin/dbus-daemon", X_OK) == 0, "dbus-daemon is not installed"))
struct SeatWatchTests {
    private let bus: PrivateBus

    init() throws {
        LoopThread.start()
        bus = try PrivateBus()
    }

    @DaemonActor private final class Reported {
        var users: [Set<UInt32>] = []
        var locks = 0
        var ended: [UInt32] = []
        var idleness: [UInt64?] = []

        var received: Changes {
            Changes { [self] change in
                switch change {
                case .screensChanged(let users): self.users.append(users)
                case .screenLocked: locks += 1
                case .sessionsEnded(let uid): ended.append(uid)
                case .idlenessChanged(let since): idleness.append(since)
                default: break
                }
            }
        }
    }

    @DaemonActor private func listen(
        _ reported: Reported, consolePause: Duration = .seconds(60), afterReported earlier: Set<UInt32> = []
    ) throws -> SeatWatch {
        let locks = try SeatWatch(.at(bus.address), changes: reported.received, consolePause: consolePause)
        locks.start(afterReported: earlier)
        return locks
    }

    @DaemonActor private func isReported(_ reported: Reported, _ users: [Set<UInt32>]) async throws -> Bool {
        try await eventually { () async throws -> Bool in reported.users == users }
    }

    @Test @DaemonActor func `locked screens are known at the start, and every change is reported`() async throws {
        let desk = try LoginDesk(
            bus, ["_31": .init(uid: 7, isLocked: true), "_32": .init(uid: 8), "c1": .init(uid: 9)])
        let reported = Reported()
        let locks = try listen(reported)
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

    @Test @DaemonActor func `idleness of all sessions at a seat is reported, and the end of the last of them`()
        async throws
    {
        let desk = try LoginDesk(bus, ["_31": .init(uid: 7), "_32": .init(uid: 8, idleSince: 3)])
        let reported = Reported()
        let watch = try listen(reported)
        #expect(try await isReported(reported, [[]]))
        #expect(reported.idleness == [])
        desk.setIdle("_31", since: 5)
        #expect(try await eventually { () async throws -> Bool in reported.idleness == [5_000] })
        desk.setIdle("_32", since: nil)
        #expect(try await eventually { () async throws -> Bool in reported.idleness == [5_000, nil] })
        desk.remove("_31")
        let before = SystemClock().monotonicNanoseconds
        desk.remove("_32")
        #expect(try await eventually { () async throws -> Bool in reported.idleness.count == 3 })
        let since = try #require(reported.idleness[2])
        #expect(since >= before && since <= SystemClock().monotonicNanoseconds)
        // A logind that restarts has nobody come back.
        desk.leave()
        let next = try LoginDesk(bus, [:])
        try await elapsed(.milliseconds(200))
        #expect(reported.idleness.count == 3)
        next.add("_33", .init(uid: 8))
        #expect(try await eventually { () async throws -> Bool in reported.idleness.count == 4 })
        #expect(reported.idleness[3] == nil)
        watch.stop()
        next.leave()
    }

    @Test(arguments: [true, false]) @DaemonActor
    func `a text console is examined again and again, if that matters`(_ matters: Bool) async throws {
        let desk = try LoginDesk(bus, ["_31": .init(uid: 7, type: "tty")])
        let reported = Reported()
        let watch = try listen(reported, consolePause: .milliseconds(20))
        watch.apply(examinesConsoles: matters)
        #expect(try await isReported(reported, [[]]))
        desk.setIdle("_31", since: 5)
        if matters {
            #expect(try await eventually { () async throws -> Bool in reported.idleness == [5_000] })
            desk.setIdle("_31", since: nil)
            #expect(try await eventually { () async throws -> Bool in reported.idleness == [5_000, nil] })
        } else {
            try await elapsed(.milliseconds(200))
            #expect(reported.idleness == [])
        }
        watch.stop()
        desk.leave()
    }

    @Test @DaemonActor func `a request to lock is reported, and leaves the state`() async throws {
        let desk = try LoginDesk(bus, ["_31": .init(uid: 7), "_32": .init(uid: 7, seat: "")])
        let reported = Reported()
        let locks = try listen(reported)
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
        let locks = try listen(reported)
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
        #expect(reported.locks == 2, "what was locked before is no news, and each user is reported once")
        #expect(reported.ended == [], "no session has ended")
        locks.stop()
        desk.leave()
    }

    @Test @DaemonActor func `locks of an earlier process stay in force until there is a logind to ask`()
        async throws
    {
        let reported = Reported()
        let locks = try listen(reported, afterReported: [7, 8])
        #expect(try await isReported(reported, [[7, 8]]))
        let desk = try LoginDesk(bus, ["_31": .init(uid: 7), "_32": .init(uid: 8, isLocked: true)])
        #expect(try await isReported(reported, [[7, 8], [8]]))
        #expect(reported.locks == 0, "what was locked before is no news")
        desk.setLocked("_31", true)
        #expect(try await isReported(reported, [[7, 8], [8], [7, 8]]))
        #expect(reported.locks == 1)
        locks.stop()
        desk.leave()
    }

    @Test @DaemonActor func `a user is reported when the last session has ended, wherever it was`() async throws {
        let desk = try LoginDesk(
            bus, ["_31": .init(uid: 7), "_32": .init(uid: 7, seat: ""), "_33": .init(uid: 8, seat: "")])
        let reported = Reported()
        let watch = try listen(reported)
        #expect(try await isReported(reported, [[]]))
        desk.remove("_31")
        desk.remove("_33")
        #expect(try await eventually { () async throws -> Bool in reported.ended == [8] })
        desk.remove("_32")
        #expect(try await eventually { () async throws -> Bool in reported.ended == [8, 7] })
        watch.stop()
        desk.leave()
    }

    @Test @DaemonActor func `signals from other senders than logind are ignored`() async throws {
        let desk = try LoginDesk(bus, ["_31": .init(uid: 7, isLocked: true)])
        let other = try LoginDesk(bus, ["_31": .init(uid: 7, isLocked: true)], ownsName: false)
        let reported = Reported()
        let locks = try listen(reported)
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
