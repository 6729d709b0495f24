import CTest
import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite struct SessionActivityTests {
    init() { LoopThread.start() }

    @Test @DaemonActor func `without logind nobody knows, and with it the user of the tests is known`() throws {
        let sessions = try LoginSessions()
        #expect((sessions.activity(of: 65_000) == .unknown) == !sessions.isAvailable)
        if sessions.isAvailable { #expect(sessions.activity(of: 65_000) == .away("offline")) }
        sessions.cancel()
    }

    /// What a thread found that sees its own /run/systemd.
    private final class Findings: @unchecked Sendable {
        // Written by the thread before it ends, read after it was joined.
        var isPossible = false
        var withoutLogind: LoginMonitor?
        var states: [UserActivity] = []
        var toldOfChange = false
    }

    @Test(.enabled(if: geteuid() == 0 && access("/run/systemd", F_OK) == 0, "only root can have files of its own"))
    func `what logind records of users is read, and its changes are told`() throws {
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
                    findings.toldOfChange = poll(&entry, 1, 5_000) == 1
                    monitor.flush()
                }
                findings.states.append(LoginSessions.state(of: 1000))
                return nil
            }, Unmanaged.passUnretained(findings).toOpaque())
        try #require(status == 0)
        pthread_join(thread, nil)
        guard findings.isPossible else { return }
        #expect(findings.withoutLogind == nil)
        #expect(findings.states == [.active, .away("lingering"), .away("offline"), .away("online")])
        #expect(findings.toldOfChange)
    }

    /// As logind does it: written aside and renamed.
    private static func record(_ text: String, of uid: uid_t) {
        let (path, aside) = ("\(LoginSessions.folder)/\(uid)", "\(LoginSessions.folder)/.\(uid)")
        let file = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        _ = write(file, text, text.utf8.count)
        _ = close(file)
        rename(aside, path)
    }
}
