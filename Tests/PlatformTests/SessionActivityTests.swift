import CTest
import Glibc
import TestSupport
import TestTraits
import Testing

@testable import Platform

@Suite(.waits) struct SessionActivityTests {
    init() { LoopThread.start() }

    @Test @DaemonActor func `without logind the activity is unknown, and with it the user of the tests is known`()
        throws
    {
        let sessions = try LoginSessions()
        #expect((sessions.activity(of: 65_000) == .unknown) == !sessions.isAvailable)
        if sessions.isAvailable { #expect(sessions.activity(of: 65_000) == .absent("offline")) }
        sessions.cancel()
    }

    /// What a thread found that sees its own /run/systemd.
    private final class Findings: @unchecked Sendable {
        // Written by the thread before it ends, read after it was joined.
        var isPossible = false
        var withoutLogind: LoginMonitor?
        var states: [UserActivity] = []
        var reportedChange = false
        var present: [uid_t: Bool] = [:]
    }

    @Test(.enabled(if: geteuid() == 0 && access("/run/systemd", F_OK) == 0, "only root can have files of its own"))
    func `what logind records of users is read, and its changes are reported`() throws {
        let findings = Findings()
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { context in
                let findings = Unmanaged<Findings>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
                guard waymark_test_hide_folder("/run/systemd") == 0 else { return nil }
                findings.isPossible = true
                findings.withoutLogind = LoginMonitor()
                mkdir(LoginSessions.folder, 0o755)
                SessionActivityTests.record("STATE=active\n", of: 1000)
                SessionActivityTests.record("STATE=lingering\n", of: 1001)
                let monitor = LoginMonitor()
                findings.states = [1000, 1001, 1002].map { LoginSessions.state(of: $0) }
                SessionActivityTests.record("STATE=online\n", of: 1000)
                if let monitor {
                    var entry = pollfd(fd: monitor.descriptor, events: Int16(monitor.events), revents: 0)
                    findings.reportedChange = poll(&entry, 1, 5_000) == 1
                    monitor.flush()
                }
                findings.states.append(LoginSessions.state(of: 1000))
                mkdir("/run/systemd/sessions", 0o755)
                let sessions = [
                    (1000, "SEAT=seat0\nREMOTE=0\nCLASS=user"), (1001, "REMOTE=1\nCLASS=user"),
                    (1002, "SEAT=seat0\nREMOTE=1\nCLASS=user"), (1003, "SEAT=seat0\nREMOTE=0\nCLASS=greeter"),
                    (1004, "REMOTE=0\nCLASS=user"),
                ]
                for (uid, text) in sessions {
                    SessionActivityTests.record(
                        "ACTIVE=1\nSTATE=active\n\(text)\n", at: "/run/systemd/sessions/s\(uid)")
                    let list = "SESSIONS=s\(uid)\nACTIVE_SESSIONS=s\(uid)\nSTATE=active\n"
                    SessionActivityTests.record(list, of: uid_t(uid))
                }
                SessionActivityTests.record("SESSIONS=s1000\nSTATE=online\n", of: 1005)
                for uid: uid_t in 1000...1006 { findings.present[uid] = LoginSessions.isAtSeat(uid) }
                return nil
            }, Unmanaged.passUnretained(findings).toOpaque())
        try #require(status == 0)
        pthread_join(thread, nil)
        guard findings.isPossible else { return }
        #expect(findings.withoutLogind == nil)
        #expect(findings.states == [.active, .absent("lingering"), .absent("offline"), .absent("online")])
        #expect(findings.reportedChange)
        // At the seat; over the network; both; the greeter's account; a session without a seat, as cron's; in the background.
        #expect(
            findings.present == [
                1000: true, 1001: false, 1002: false, 1003: false, 1004: false, 1005: false, 1006: false,
            ])
    }

    /// As logind does it: written aside and renamed.
    private static func record(_ text: String, of uid: uid_t) {
        record(text, at: "\(LoginSessions.folder)/\(uid)")
    }

    private static func record(_ text: String, at path: String) {
        let aside = path + ".new"
        let file = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        _ = write(file, text, text.utf8.count)
        _ = close(file)
        rename(aside, path)
    }
}
