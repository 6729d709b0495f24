import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// An account that defines an app in its own home, requests positions, and answers by an agent of its own.
@Suite(
    .waits,
    .enabled(
        if: OtherUser.isPossible && DaemonSurroundings.seesProgramsFromOwnMounts,
        "connecting as another user and mounting another user database need root"))
struct SelfGrantTests {
    private static let account = OtherUser.nobody

    private let apps: TestApps
    private let logger: String
    private let agent: String
    private let receiver: PlayedReceiver

    init() throws {
        apps = try TestApps()
        logger = try apps.program("logger")
        agent = try apps.program("agent")
        receiver = try PlayedReceiver.tenHertz()
        let directory = apps.directory
        let path = "home/.config/waymark/apps/logger.app"
        try directory.write(
            path, "[App]\nName=Logger\nExec=\(logger)\nWhenInUseUsageDescription=Keeps a log of the journey.\n")
        for name in ["home", "home/.config", "home/.config/waymark", "home/.config/waymark/apps", path] {
            #expect(chown(directory.file(name), Self.account, Self.account) == 0)
        }
        try directory.write(
            "passwd",
            "root:x:0:0::/root:/bin/sh\nnobody:x:\(Self.account):\(Self.account)::\(directory.file("home")):/bin/sh\n")
    }

    private func start(atSeat: Bool) throws -> DaemonProcess {
        var surroundings = DaemonSurroundings()
        surroundings.userDatabase = apps.directory.file("passwd")
        if atSeat {
            try apps.directory.write("logind/seats/seat0", "IS_SEAT0=1\n")
            try apps.directory.write(
                "logind/users/\(Self.account)", "NAME=nobody\nSTATE=active\nSESSIONS=s1\nACTIVE_SESSIONS=s1\n")
            try apps.directory.write(
                "logind/sessions/s1", "UID=\(Self.account)\nACTIVE=1\nSTATE=active\nREMOTE=0\nCLASS=user\nSEAT=seat0\n")
            try apps.directory.write("logind/machines/README", "")
            surroundings.loginRecords = apps.directory.file("logind")
        }
        return try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(agents: [agent], personalManifests: true),
            gpsd: receiver.address, knowsLogins: atSeat, surroundings: surroundings)
    }

    @Test func `a prompt has the current texts of the account's file`() throws {
        defer { receiver.stop() }
        let daemon = try start(atSeat: true)
        let watching = try AppClient(agent, to: daemon.socketPath, as: Self.account)
        #expect(try watching.register().isEmpty)
        let file = apps.directory.file("home/.config/waymark/apps/logger.app")
        try apps.directory.write(
            "home/.config/waymark/apps/logger.app",
            """
            [App]
            Name=Log Book
            Name[ko]=일지
            Exec=\(logger)
            WhenInUseUsageDescription=Keeps another log.
            WhenInUseUsageDescription[ko]=여정을 기록합니다.

            """)
        #expect(chown(file, Self.account, Self.account) == 0)
        try #require(
            eventually {
                try OperatorClient(daemon).list().apps.contains {
                    $0.id == "logger" && $0.name == "Log Book"
                }
            })
        let client = try AppClient(logger, to: daemon.socketPath, as: Self.account)
        #expect(try client.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#).error == nil)
        try client.begin(LocationInterface.Method.requestWhenInUse.rawValue)
        let question = try watching.nextQuery()
        #expect(question.name == TranslatedText("Log Book", translations: ["ko": "일지"]))
        #expect(question.purpose == TranslatedText("Keeps another log.", translations: ["ko": "여정을 기록합니다."]))
        // An open prompt stays unchanged, whatever happens to the file.
        #expect(unlink(file) == 0)
        let requests = try OperatorClient(daemon).requests()
        #expect(requests.allSatisfy { $0.question.purpose == question.purpose }, "\(requests)")
    }

    @Test func `an account without a person at the machine cannot grant itself positions, and an operator can`() throws
    {
        defer { receiver.stop() }
        let daemon = try start(atSeat: false)
        let watching = try AppClient(agent, to: daemon.socketPath, as: Self.account)
        #expect(try watching.register().isEmpty)
        let client = try AppClient(logger, to: daemon.socketPath, as: Self.account)
        #expect(try client.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#).error == nil)
        let asked = try client.call(LocationInterface.Method.requestWhenInUse.rawValue)
        #expect(asked.parameters["authorization"]?["status"] == "notDetermined", "\(asked)")
        let requests = try OperatorClient(daemon).requests()
        #expect(requests.count == 1 && requests.first?.question.app == "logger", "\(requests)")
        let answering = try AppClient(agent, to: daemon.socketPath, as: Self.account)
        #expect(try answering.register().isEmpty, "an agent gets no prompt that it may not answer")
        let other = try AppClient(agent, to: daemon.socketPath, as: Self.account)
        for number in 1...5 {
            let answer = try other.call(
                AgentInterface.Method.answer.rawValue,
                #"{"prompt":\#(number),"choice":"allowWhileUsing","precise":true}"#)
            #expect(answer.error == ErrorName.agentUnknownPrompt.rawValue, "\(answer)")
        }
        #expect(
            try client.call(LocationInterface.Method.getPosition.rawValue).error == ErrorName.notDetermined.rawValue)
        try OperatorClient(daemon).authorize("logger", .whileUsing, uid: Self.account)
        #expect(try client.call(LocationInterface.Method.getPosition.rawValue).error == nil)
    }

    @Test func `a person at the machine is asked about an app of her own`() throws {
        defer { receiver.stop() }
        let daemon = try start(atSeat: true)
        let watching = try AppClient(agent, to: daemon.socketPath, as: Self.account)
        #expect(try watching.register().isEmpty)
        let client = try AppClient(logger, to: daemon.socketPath, as: Self.account)
        #expect(try client.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#).error == nil)
        try client.begin(LocationInterface.Method.requestWhenInUse.rawValue)
        let question = try watching.nextQuery()
        let answering = try AppClient(agent, to: daemon.socketPath, as: Self.account)
        let answer = try answering.call(
            AgentInterface.Method.answer.rawValue,
            #"{"prompt":\#(question.id),"choice":"allowWhileUsing","precise":true}"#)
        #expect(answer.error == nil, "\(answer)")
        #expect(try client.next()?.error == nil)
        #expect(try client.call(LocationInterface.Method.getPosition.rawValue).error == nil, "\(daemon.log)")
    }
}
