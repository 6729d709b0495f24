import Glibc
import Interfaces
import Location
import Platform
import PowerCut
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// The daemon is killed, and its power is cut, while a passphrase is set, changed or removed, the machine's secret is exchanged,
/// and data is sealed again, locked and unlocked: afterwards one of the passphrases in question unlocks, and everything that was recorded can be read.
@Suite(
    .waits, .serialized, .timeLimit(.minutes(30)),
    .enabled(if: PowerCutShim.compiler != nil && OtherUser.isPossible, "it needs a C compiler and root"))
struct ProtectionCrashTests {
    private static func setting(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }
    private static let cuts = setting("WAYMARK_PROTECTION_CUTS") ?? 4
    private static let seed = setting("WAYMARK_CUT_SEED") ?? 1

    /// The machine's lock, and that of the user who records.
    @Test(arguments: [nil, OtherUser.nobody])
    func `one of the passphrases unlocks everything, whenever the power is cut`(user: UInt32?) throws {
        let bench = try ProtectionCrashBench(of: user)
        for cut in 0..<Self.cuts { try bench.cut(seed: UInt64(Self.seed + cut)) }
        try bench.end()
    }
}

/// A daemon on a simulated disk, the passphrases that may unlock it, and what was recorded durably.
private final class ProtectionCrashBench {
    private let bench: CutDaemon
    private var daemon: DaemonProcess { bench.daemon }
    /// The passphrase in use; nil before one is set, and after protection was switched off.
    private var passphrase: String?
    /// Whether protection is being switched off.
    private var isEnding = false

    /// The user whose lock it is; nil for the machine's.
    private let user: UInt32?

    init(of user: UInt32?) throws {
        self.user = user
        bench = try CutDaemon()
        try OperatorClient(daemon).authorize("recorder", .always, uid: OtherUser.nobody)
        let client = try AppClient(bench.recorder, to: daemon.socketPath)
        let reply = try client.call(RecordingInterface.Method.start.rawValue, #"{"identifier":"trip"}"#)
        #expect(reply.error == nil, "\(reply)")
    }

    func end() throws { try bench.end() }

    /// A connection of whoever owns the lock.
    private func owner() throws -> Client { try Self.owner(user, daemon.socketPath) }

    private static func owner(_ user: UInt32?, _ socket: String) throws -> Client {
        guard let user else { return try Client(path: socket, timeout: .seconds(60)) }
        return try Client(adopting: OtherUser.connect(to: socket, as: user))
    }

    private func last() throws -> Int64 { try OperatorClient(daemon).recordings().first?.last ?? 0 }

    /// Begins an operation, kills the daemon some time later, cuts the power, and checks what can be read.
    func cut(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let before = try last()
        try #require(try eventually(within: 60) { try last() >= before + 20 }, "\(daemon.log)")
        let durable = try last()
        let client = try owner()
        let new = "passphrase \(seed)"
        var possible = [passphrase].compactMap { $0 }
        let isSetting = passphrase == nil
        let isEnding = isEnding || !isSetting && Int.random(in: 0..<3, using: &random) == 0
        let isRenewing = !isEnding && Int.random(in: 0..<2, using: &random) == 0
        if !isEnding, let passphrase, Bool.random(using: &random) {
            _ = try client.call(ProtectionInterface.Unlock(secret: passphrase, isRecovery: nil), timeout: .seconds(60))
            if Bool.random(using: &random) { _ = try client.call(ProtectionInterface.Lock(), timeout: .seconds(60)) }
        }
        // The call is cut off; whether it was done is found afterwards.
        let (socket, old, user) = (daemon.socketPath, passphrase, user)
        try DetachedThread.start(name: "caller") {
            do {
                let client = try Self.owner(user, socket)
                let root = try Client(path: socket, timeout: .seconds(60))
                if isRenewing { _ = try root.call(ProtectionInterface.RenewMachineSecret(), timeout: .seconds(60)) }
                if let old, isEnding {
                    _ = try client.call(ProtectionInterface.SwitchOff(secret: old), timeout: .seconds(60))
                } else if let old {
                    _ = try client.call(
                        ProtectionInterface.ChangePassphrase(secret: old, isRecovery: nil, passphrase: new),
                        timeout: .seconds(60))
                } else {
                    _ = try client.call(ProtectionInterface.SetPassphrase(passphrase: new), timeout: .seconds(60))
                }
            } catch {
                // The daemon was killed meanwhile.
                return
            }
        }
        possible.append(new)
        // Deriving a key takes a second or less, and the files are written after it; an exchange takes some milliseconds.
        let isEarly = isRenewing && Bool.random(using: &random)
        _ = poll(nil, 0, Int32.random(in: 0...(isEnding ? 5_000 : isEarly ? 60 : 2_500), using: &random))
        try bench.kill()
        let style = try bench.cutPower(using: &random).style
        try check(possible, mayBeOpen: isSetting || isEnding, durable: durable, "seed \(seed), \(style)")
    }

    private func check(_ possible: [String], mayBeOpen: Bool, durable: Int64, _ what: String) throws {
        try daemon.waitForJournal()
        let (client, root) = (try owner(), try Client(path: daemon.socketPath, timeout: .seconds(60)))
        let status = try client.call(ProtectionInterface.Status(), timeout: .seconds(60)).status
        #expect(status.problem == nil, "\(what): \(status.problem ?? "")")
        if status.state == .open {
            #expect(mayBeOpen, "\(what): the file of keys is lost")
            passphrase = nil
        } else {
            var unlocking: String?
            for one in possible where unlocking == nil {
                do {
                    _ = try client.call(
                        ProtectionInterface.Unlock(secret: one, isRecovery: nil), timeout: .seconds(60))
                    unlocking = one
                } catch { continue }
            }
            #expect(unlocking != nil, "\(what): no passphrase unlocks")
            passphrase = unlocking ?? passphrase
        }
        isEnding = status.isEnding
        // What is sealed again meanwhile stays readable.
        let app = try AppClient(bench.recorder, to: daemon.socketPath)
        let (points, error) = try app.recordedPositions()
        #expect(error == nil, "\(what)")
        let numbers = points.map(\.sequence)
        #expect(numbers == Array(1...max(Int64(numbers.count), 1)), "\(what): positions are missing")
        // What an operator saw may have been acknowledged by the journal only within the last second.
        #expect(Int64(numbers.count) >= durable, "\(what): \(numbers.count) of \(durable)")
        let found = try root.call(JournalInterface.Verify(), timeout: .seconds(60)).verification
        #expect(found.isSound, "\(what): \(found.findings)")
    }
}
