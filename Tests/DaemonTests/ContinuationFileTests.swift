import Authorization
import Glibc
import Location
import Platform
import TestSupport
import Testing

@testable import Daemon

@Suite struct ContinuationFileTests {
    private let directory: TemporaryDirectory

    init() throws {
        LoopThread.start()
        directory = try TemporaryDirectory()
    }

    private static let app = AppID(uid: 1_000, name: "org.example.trailmap")
    private static let mark = Continuation.Mark(processID: 4_242, startTime: 99)

    private static var retained: [AppID: Continuation] {
        [
            app: Continuation(
                decidedAt: UTCTime(microseconds: 1_700_000_000_000_000), isOnce: true, processes: [mark],
                holders: [mark], heldUntil: 7),
            AppID(uid: 0, name: "tracker"): Continuation(
                decidedAt: UTCTime(microseconds: -1), hasTemporaryFullAccuracy: true,
                processes: [mark, Continuation.Mark(processID: -1, startTime: .max)], outOfUseSince: 5),
        ]
    }

    private static var content: ContinuationFile.Content {
        ContinuationFile.Content(
            boot: "0f9a36a2-6f1a-4a2e-9a3a-5a2e6f1a4a2e", heardAt: 12, apps: retained,
            screens: ScreenLocks(declared: [0, 1_000], reported: [7]))
    }

    private var file: ContinuationFile { ContinuationFile(stateDirectory: directory.path) }

    @Test func `written content is read, even if the file was longer before`() throws {
        let file = file
        try file.save(Self.content, number: 1)
        #expect(file.load() == .content(Self.content))
        var shorter = Self.content
        shorter.apps[Self.app] = nil
        try file.save(shorter, number: 2)
        #expect(file.load() == .content(shorter))
        try file.save(Self.content, number: 1)
        #expect(file.load() == .content(shorter), "an older write arrived later")
        shorter.apps = [:]
        try file.save(shorter, number: 3)
        #expect(file.load() == .content(shorter), "a lock alone is stored")
        shorter.screens = ScreenLocks()
        try file.save(shorter, number: 4)
        #expect(file.load() == .nothing)
        var status = stat()
        #expect(stat(directory.file(ContinuationFile.name), &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func `any flipped bit and any truncation is detected`() {
        let good = ContinuationFile.bytes(of: Self.content)
        for index in good.indices {
            for bit in 0..<8 {
                var damaged = good
                damaged[index] ^= 1 << UInt8(bit)
                #expect(ContinuationFile.content(of: damaged) == nil, "byte \(index), bit \(bit)")
            }
            #expect(ContinuationFile.content(of: Array(good[..<index])) == nil)
        }
    }

    @Test func `entries beyond the limit are omitted, and the others are read`() throws {
        var content = Self.content
        for number in 0..<2_000 {
            content.apps[AppID(uid: 1_000, name: "org.example.app\(number)")] = Self.retained[Self.app]
        }
        try file.save(content, number: 1)
        guard case .content(let read) = file.load() else {
            Issue.record("\(file.load())")
            return
        }
        #expect(read.apps.count > 500 && read.apps.count < 2_000)
        #expect(read.apps.allSatisfy { content.apps[$0.key] == $0.value })
    }

    @Test @DaemonActor func `another or unknown boot leaves nothing`() throws {
        let clock = ManualClock()
        func registry(_ boot: String) throws -> ContinuationStore {
            try ContinuationStore(stateDirectory: directory.path, changes: Changes(), clock: clock, boot: boot)
        }
        let first = try registry("a")
        first.begin()
        first.keep(Self.retained)
        first.keep(ScreenLocks(declared: [1_000], reported: [7]))
        #expect(try registry("a").load().screens == ScreenLocks(declared: [1_000], reported: [7]))
        first.leave()
        #expect(try registry("b").load().screens.isEmpty)
        let same = try registry("a").load().apps
        #expect(same.count == 2 && same[Self.app]?.processes == [Self.mark])
        #expect(same[Self.app]?.outOfUseSince == clock.monotonicNanoseconds, "since the last known time")
        #expect(same[AppID(uid: 0, name: "tracker")]?.outOfUseSince == 5)
        #expect(try registry("b").load().apps.isEmpty)
        let unknown = try registry(BootIdentity.unknown)
        unknown.begin()
        unknown.keep(Self.retained)
        unknown.leave()
        #expect(try registry(BootIdentity.unknown).load().apps.isEmpty)
    }

    @Test @DaemonActor func `decisions during the stop are not stored, and what ends with connections is`()
        throws
    {
        let clock = ManualClock()
        let registry = try ContinuationStore(
            stateDirectory: directory.path, changes: Changes(), clock: clock, boot: "a")
        registry.begin()
        registry.keep(Self.retained)
        registry.leave()
        // The connections are closed.
        registry.keep([:])
        let next = try ContinuationStore(stateDirectory: directory.path, changes: Changes(), clock: clock, boot: "a")
        #expect(next.load().apps.count == 2)
        registry.decided(Self.app, Grant(permission: .denied, decidedAt: UTCTime(microseconds: 9)))
        #expect(next.load().apps[Self.app] == nil && next.load().apps.count == 1)
    }

    @Test @DaemonActor func `a daemon without the right to the directory writes nothing`() throws {
        let clock = ManualClock()
        let registry = try ContinuationStore(
            stateDirectory: directory.path, changes: Changes(), clock: clock, boot: "a")
        registry.keep(Self.retained)
        registry.keep(ScreenLocks(declared: [1]))
        registry.leave()
        registry.giveUp()
        registry.begin()
        registry.keep(ScreenLocks(declared: [1]))
        #expect(access(directory.file(ContinuationFile.name), F_OK) != 0)
    }
}
