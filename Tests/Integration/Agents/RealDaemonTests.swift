import Glibc
import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// `waymark agent` and the daemon itself.
@Suite(.waits, .enabled(if: OtherUser.isPossible, "only root can hide logind from a daemon"))
struct RealDaemonTests {
    private let apps: TestApps
    private let daemon: DaemonProcess
    private let agent: String
    private let app: ProgramClient

    init() throws {
        apps = try TestApps()
        // `waymark agent` executes the program that the daemon accepts as an agent.
        agent = try Products.resolvedProgram("waymark")
        let agentProgram = try Products.resolvedProgram("waymark-agent")
        let program = try apps.program("trailmap")
        try apps.add("trailmap", name: "Trail Map", program: program, "Name[ko]=등산 지도")
        daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(agents: [agentProgram]), knowsLogins: false)
        app = try ProgramClient(program, to: daemon.socketPath)
    }

    private func call(_ method: LocationInterface.Method, _ parameters: String = "{}") throws {
        try app.send(#"{"method":"\#(method.rawValue)","parameters":\#(parameters)}"#)
    }

    private func reply() throws -> Reply {
        try Reply(parsing: #require(try app.next(), "no reply: \(daemon.log)"))
    }

    private func authorization(_ reply: Reply) -> AppAuthorization? {
        reply.parameters["authorization"].flatMap(AppAuthorization.init)
    }

    private func environment(_ more: [String: String]) -> [String: String] {
        ["WAYMARK_SOCKET": daemon.socketPath, "NO_COLOR": "1"].merging(more) { $1 }
    }

    @Test func `an app requests, the person is asked in a terminal, and the app gets the result`() throws {
        let terminal = try TypedTerminal(agent, ["agent"], environment: environment(["LC_ALL": "ko_KR.UTF-8"]))
        #expect(terminal.shows("질문을 기다리는 중입니다."), "\(terminal.text)")
        try call(.setActivity, #"{"activity":"active"}"#)
        #expect(try reply().error == nil)
        try call(.requestWhenInUse)
        #expect(terminal.shows("\r\n> "), "\(terminal.text) \(daemon.log)")
        #expect(terminal.text.contains("등산 지도 앱이 내 위치를 사용하려고 합니다"))
        #expect(terminal.text.contains("Shows where you are on the map of trailmap."))
        terminal.type("p\n2\n")
        let answer = try #require(authorization(try reply()))
        #expect(answer.status == .authorizedWhenInUse && answer.accuracy == .reduced)
        #expect(terminal.shows("선택한 답변: 앱을 사용하는 동안 허용"))
        terminal.type("\u{4}")
        #expect(try terminal.end() == .exited(0))
    }

    @Test func `a prompt of one agent is passed to the next one, on the desktop`() throws {
        let bus = try PrivateBus()
        let desk = try NotificationDesk(bus)
        let desktop = try ChildProcess(
            ChildProcess.Launch(
                agent, ["agent"],
                environment: environment(["LC_ALL": "C", "DBUS_SESSION_BUS_ADDRESS": bus.address]), error: .pipe,
                isGuarded: true))
        #expect(try PollDeadline(seconds: 60).poll(desktop.errorPipe, for: POLLIN), "it reports that it shows a prompt")
        let terminal = try TypedTerminal(agent, ["agent"], environment: environment(["LC_ALL": "C"]))
        #expect(terminal.shows("Waiting for questions."))
        try call(.setActivity, #"{"activity":"active"}"#)
        #expect(try reply().error == nil)
        try call(.requestWhenInUse)
        #expect(terminal.shows("\r\n> "))
        let card = try #require(desk.card())
        desk.pressAfterReading(card, "deny")
        #expect(authorization(try reply())?.status == .denied)
        #expect(terminal.shows("This question has been answered elsewhere"), "\(terminal.text)")
        #expect(eventually { desk.cards.isEmpty })
        _ = try desktop.terminate()
    }

    @Test func `a prompt of an agent that ends is passed to the next one`() throws {
        let first = try TypedTerminal(agent, ["agent"], environment: environment(["LC_ALL": "C"]))
        #expect(first.shows("Waiting for questions."))
        try call(.setActivity, #"{"activity":"active"}"#)
        #expect(try reply().error == nil)
        try call(.requestWhenInUse)
        #expect(first.shows("\r\n> "))
        first.type("\u{3}")
        #expect(try first.end() == .exited(130))
        // The app is notified that no agent is available; the prompt stays.
        #expect(authorization(try reply())?.status == .notDetermined)
        let second = try TypedTerminal(agent, ["agent"], environment: environment(["LC_ALL": "C"]))
        #expect(second.shows("\r\n> "), "\(second.text)")
        second.type("1\n")
        #expect(second.shows("Your answer: Allow Once."))
        try call(.getAuthorization)
        #expect(authorization(try reply())?.status == .authorizedWhenInUse)
    }
}
