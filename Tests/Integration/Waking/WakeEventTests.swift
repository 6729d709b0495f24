import Glibc
import Interfaces
import JSONText
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// What an app is woken for, as it sees it while it runs, and who may start services.
@Suite(.waits, .timeLimit(.minutes(15)), .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct WakeEventTests {
    private let apps: TestApps
    private let scene: RegionScene
    private let manage: OperatorClient

    /// The test's own program is the app, whoever runs it.
    init() throws {
        apps = try TestApps()
        try apps.add(
            "trailmap", name: "Trail Map", program: try TestApps.ownProgram(),
            "[Wake]\nUnit=trailmap.service\nFor=regions visits significant-change target\n")
        scene = try RegionScene(in: apps.directory, configuration: apps.configuration(), knowsLogins: false)
        manage = try OperatorClient(scene.daemon)
    }

    private func authorize(_ status: ManageInterface.Authorize.Status, _ accuracy: AccuracyAuthorization? = nil) throws
    {
        try manage.call(
            ManageInterface.Authorize(app: "trailmap", uid: OtherUser.nobody, status: status, accuracy: accuracy))
    }

    private func client() throws -> Client {
        try Client(adopting: OtherUser.connect(to: scene.daemon.socketPath))
    }

    @discardableResult
    private func call<Method: VarlinkMethod>(_ method: Method) throws -> Method.Reply {
        try client().call(method, timeout: .seconds(60))
    }

    private func subscribe(_ cause: WakingInterface.Cause, host: String? = nil) throws {
        try call(WakingInterface.Subscribe(cause: cause, host: host))
    }

    /// Whether a call fails with this error.
    private func refused(_ name: ErrorName, _ call: () throws -> Void) throws -> Bool {
        try Refusal(call)?.error == name
    }

    /// The words of the pending events.
    private func reasons() throws -> [String] {
        let reply = try call(WakingInterface.GetLaunchReason())
        #expect(reply.launch == .ownStart)
        return reply.reasons.map { "\($0.cause.rawValue) \($0.monitor ?? "-") \($0.first)" }
    }

    /// Drives 300 m, waits six minutes, and drives 900 m on.
    private func drive(from second: Int = 0) {
        scene.drive(second..<(second + 20)) { 15 * Double($0 - second) }
        scene.drive((second + 20)..<(second + 400), speed: 0) { _ in 300 }
        scene.drive((second + 400)..<(second + 460)) { 300 + 15 * Double($0 - second - 400) }
    }

    @Test(arguments: [false, true])
    func `visits and significant changes are events without a position, stored until acknowledged`(isKilled: Bool)
        throws
    {
        try authorize(.always)
        try subscribe(.visits)
        try subscribe(.significantChange)
        #expect(try call(WakingInterface.List()).subscriptions.map(\.cause) == [.significantChange, .visits])
        try scene.waitForDemand()
        drive()
        let areStored = try eventually(within: Patience.daemon) {
            try reasons().sorted() == ["significantChange - 2", "visits - 1"]
        }
        #expect(areStored, "\(scene.daemon.log)")
        // What was observed before the remark is on the disk.
        #expect(try scene.daemon.waymark(["log", "--note", "the daemon ends"]).status == .exited(0))
        if isKilled { scene.daemon.signal(SIGKILL) } else { #expect(try scene.daemon.stop() == .exited(0)) }
        try scene.daemon.restart()
        #expect(try reasons().sorted() == ["significantChange - 2", "visits - 1"])
        let text =
            "\(try client().call(WakingInterface.Method.getLaunchReason.rawValue, .object([]), timeout: .seconds(60)))"
        #expect(!text.contains("latitude") && !text.contains("47."))
        #expect(try call(WakingInterface.Acknowledge(upTo: 1)).acknowledged == 1)
        #expect(try !reasons().contains("visits - 1"))
    }

    @Test func `what may not be known any more is erased, and nothing is observed`() throws {
        try authorize(.always)
        try subscribe(.significantChange)
        try scene.waitForDemand()
        drive()
        #expect(try eventually(within: Patience.daemon) { try reasons() == ["significantChange - 1"] })
        try authorize(.deny)
        #expect(try reasons() == [])
        try authorize(.always)
        #expect(try reasons() == [])
    }

    @Test(arguments: [AccuracyAuthorization.reduced])
    func `an app with reduced accuracy is not observed`(accuracy: AccuracyAuthorization) throws {
        try authorize(.always, accuracy)
        try subscribe(.visits)
        try subscribe(.significantChange)
        drive()
        #expect(try reasons() == [])
        #expect(!scene.gpsd.received.contains("?WATCH"), "no receiver is needed")
    }

    @Test func `what the manifest does not name, and what makes no sense, is refused`() throws {
        #expect(try refused(.wakingNotDeclared) { try subscribe(.path) })
        #expect(try refused(.wakingInvalidSubscription) { try subscribe(.regions) })
        #expect(try refused(.wakingInvalidSubscription) { try subscribe(.push) })
        #expect(try refused(.wakingInvalidSubscription) { try subscribe(.target) })
        #expect(try refused(.wakingInvalidSubscription) { try subscribe(.target, host: "a b") })
        #expect(try refused(.wakingInvalidSubscription) { try subscribe(.visits, host: "192.0.2.1") })
        for number in 1...16 { try subscribe(.target, host: "192.0.2.\(number)") }
        #expect(try refused(.wakingTooManySubscriptions) { try subscribe(.target, host: "192.0.2.17") })
        try subscribe(.target, host: "192.0.2.3")
        try call(WakingInterface.Unsubscribe(cause: .target, host: "192.0.2.3"))
        try subscribe(.target, host: "192.0.2.17")
        #expect(try refused(.wakingNoSuchEvent) { try call(WakingInterface.Acknowledge(upTo: 3)) })
        #expect(try refused(.wakingNoSuchEvent) { try call(WakingInterface.Acknowledge(upTo: .max)) })
    }

    @Test func `no other program gets orders, and an app decides nothing about waking`() throws {
        #expect(try refused(.wakerNotWaker) { try call(WakerInterface.ReportManager()) })
        #expect(
            try refused(.wakerNotWaker) {
                try call(WakerInterface.ReportOrder(app: "trailmap", number: 1, outcome: .started))
            })
        // Root's own programs neither, but the one that starts services.
        let root = try Client(path: scene.daemon.socketPath, timeout: .seconds(60))
        #expect(
            try refused(.wakerNotWaker) {
                try root.call(WakerInterface.ReportService(app: "trailmap", observation: .stopped))
            })
        #expect(
            try refused(.wakingNotAllowed) {
                try call(WakingInterface.SetAllowed(app: "trailmap", uid: OtherUser.nobody, allowed: true))
            })
    }
}
