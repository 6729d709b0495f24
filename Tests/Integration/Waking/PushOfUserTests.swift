import Glibc
import Interfaces
import Platform
import TestClients
import TestHubs
import TestSupport
import TestTraits
import Testing
import Varlink

/// The waymark-sync of a person reports for apps of that person only.
@Suite(.waits, .timeLimit(.minutes(15)), .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct PushOfUserTests {
    private let apps: TestApps
    private let daemon: DaemonProcess
    private let hub: HubProcess

    /// The test's own program is the app, whoever runs it, and also one of the machine is there.
    init() throws {
        apps = try TestApps()
        let keys = "Containers=\(SyncMachine.container)\n[Wake]\nUnit=notes.service\nFor=push\n"
        try apps.add("notes", name: "Notes", program: try TestApps.ownProgram(), keys)
        try apps.directory.write("apps/ledger.app", "[App]\nName=Ledger\nUnit=ledger.service\n\(keys)")
        daemon = try DaemonProcess(in: apps.directory, configuration: apps.configuration(), knowsLogins: false)
        hub = try HubProcess(more: [])
    }

    private func client(_ user: uid_t) throws -> Client {
        user == 0
            ? try Client(path: daemon.socketPath, timeout: .seconds(60))
            : try Client(adopting: OtherUser.connect(to: daemon.socketPath, as: user))
    }

    /// The pending events of a user's app.
    private func reasons(_ user: uid_t) throws -> [String] {
        try client(user).call(WakingInterface.GetLaunchReason(), timeout: .seconds(60)).reasons
            .map { "\($0.cause.rawValue) \($0.container ?? "-") \($0.first)" }
    }

    @Test func `an app of another user and of the machine get no push of a person's records`() throws {
        let bobs = try SyncMachine(hub, as: "bobs", daemon: daemon.socketPath, user: OtherUser.nobody)
        let phone = try SyncMachine(hub, as: "phone")
        for each in [phone, bobs] { try each.use() }
        try phone.save("milk")
        try bobs.waitFor("milk")
        let isReported = try eventually(within: Patience.daemon) {
            try reasons(OtherUser.nobody).first?.hasPrefix("push \(SyncMachine.container) ") == true
        }
        #expect(isReported, "\(bobs.log) \(daemon.log)")
        #expect(try reasons(0) == [])
        #expect(try OperatorClient(daemon).app("ledger")?.waking?.pending ?? 0 == 0)

        // Acknowledging it leaves nothing, and the next change is another event.
        let app = try client(OtherUser.nobody)
        let first = try #require(try app.call(WakingInterface.GetLaunchReason()).reasons.first?.first)
        try app.call(WakingInterface.Acknowledge(upTo: first))
        #expect(try reasons(OtherUser.nobody) == [])
        try phone.save("bread")
        let isNext = try eventually(within: Patience.daemon) {
            try reasons(OtherUser.nobody) == ["push \(SyncMachine.container) \(first + 1)"]
        }
        #expect(isNext)
    }

    @Test func `a program that is not waymark-sync, or is an app, is refused`() throws {
        for user in [0, OtherUser.nobody] {
            let client = try client(user)
            let refusal = try Refusal {
                try client.call(
                    WakingInterface.ReportPush(container: SyncMachine.container, environment: .production))
            }
            #expect(refusal?.error == .wakingNotAllowed)
            #expect(refusal?.parameters["message"]?.stringValue?.contains("no app is waymark-sync") == true)
        }
        #expect(try reasons(0) == [])
    }
}
