import Glibc
import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing

/// Data that is unlocked without a terminal: by a credential of the service manager, and by a passphrase that
/// systemd-ask-password(1) asks for.
@Suite(.waits, .serialized, .timeLimit(.minutes(15))) struct UnattendedUnlockTests {
    private static let passphrase = "a bicycle without a bell"

    private let directory: TemporaryDirectory
    private let daemon: DaemonProcess

    init() throws {
        directory = try TemporaryDirectory()
        var surroundings = DaemonSurroundings()
        surroundings.environment = ["CREDENTIALS_DIRECTORY=\(directory.path)"]
        daemon = try DaemonProcess(surroundings: surroundings)
    }

    private func state() throws -> ProtectionInterface.State {
        try OperatorClient(daemon).client.call(ProtectionInterface.Status(), timeout: .seconds(60)).status.state
    }

    private func restart() throws {
        daemon.signal(SIGKILL)
        _ = try daemon.wait()
        try daemon.restart()
        try daemon.waitForJournal()
    }

    @Test func `a credential unlocks at each start, and a missing, wrong or short one leaves the data locked`() throws {
        try daemon.protection(["set-passphrase"], input: [Self.passphrase])
        let none = try daemon.protection(["add-credential"], input: [Self.passphrase], code: 1)
        #expect(none.error.contains("waymark.unlock"), "\(none.error)")
        let credential = (0..<32).map { UInt8($0 * 7) }
        try directory.write("waymark.unlock", bytes: credential)
        try daemon.protection(["add-credential"], input: ["a bicycle with a bell"], code: 1)
        try daemon.protection(["add-credential"], input: [Self.passphrase])
        #expect(try daemon.waymark("protection", "status").output.contains("a credential of the service manager"))
        try restart()
        #expect(try eventually(within: 60) { try state() == .unlocked }, "\(daemon.log)")
        let log = try daemon.waymark("log", "--json", "--kind", "dataUnlocked").output
        #expect(log.contains(#""by":"start""#) && log.contains(#""with":"credential""#), "\(log)")
        // Locked by a person, it stays locked until the next start.
        try daemon.protection(["lock"])
        #expect(try eventually(within: 60) { try state() == .locked })
        for wrong in [Array(credential.reversed()), Array(credential.dropLast()), nil] {
            unlink(directory.file("waymark.unlock"))
            if let wrong { try directory.write("waymark.unlock", bytes: wrong) }
            try restart()
            #expect(
                try eventually(within: Patience.daemon) {
                    try daemon.log.contains("credential") && state() == .neverUnlocked
                },
                "\(daemon.log)")
        }
        try daemon.protection(["unlock"], input: [Self.passphrase])
        #expect(try state() == .unlocked)
    }

    @Test(
        .enabled(if: PasswordAgent.isPossible, "it needs root, systemd-ask-password and its folder"))
    func `passphrases are asked for by systemd-ask-password`() throws {
        let agent = try PasswordAgent(of: daemon.socketPath)
        defer { agent.stop() }
        func run(_ arguments: String..., answers: [String?], code: Int32 = 0) throws -> CompletedProcess {
            agent.answers = answers
            let process = try CompletedProcess.run(
                Products.program("waymark"), ProtectionWords.of(arguments) + ["--ask-password"],
                environment: daemon.environment(), seconds: 90)
            #expect(process.status == .exited(code), "\(arguments): \(process.output) \(process.error)")
            #expect(agent.answers.isEmpty, "all questions were asked")
            return process
        }
        _ = try run("set-passphrase", answers: [Self.passphrase, "another"], code: 1)
        #expect(try state() == .open)
        _ = try run("set-passphrase", answers: [Self.passphrase, Self.passphrase])
        #expect(try state() == .unlocked)
        try restart()
        #expect(try state() == .neverUnlocked)
        let refused = try run("unlock", answers: ["a bicycle with a bell"], code: 1)
        #expect(refused.error.contains("does not unlock the data"))
        // The person declines.
        let declined = try run("unlock", answers: [nil], code: 1)
        #expect(declined.error.contains("returned no secret"), "\(declined.error)")
        _ = try run("unlock", answers: [Self.passphrase])
        #expect(try state() == .unlocked)
        _ = try run(
            "change", answers: [Self.passphrase, "ein Fahrrad ohne Glocke – 自転車", "ein Fahrrad ohne Glocke – 自転車"])
        try daemon.protection(["unlock"], input: ["ein Fahrrad ohne Glocke – 自転車"])
        #expect(
            agent.questions.allSatisfy { $0.hasPrefix("Waymark: ") && $0.contains("assphrase") }, "\(agent.questions)")
        #expect(!daemon.log.contains("bicycle"))
    }
}
