import Glibc
import PowerCut
import TestClients
import TestSupport
import TestTraits
import Testing

/// The daemon is killed, and its power is cut, before each step of an operation of data protection in turn: afterwards the secrets of
/// before the operation unlock, or those of after it, and what was recorded can be read with them.
///
/// A step is a system call that changes the state directory. With `WAYMARK_EVERY_STEP=1` all of them are examined, each with a kill
/// and with each kind of a loss of power; otherwise the steps on files of keys and directories when a passphrase is set or changed, and
/// a part of all others, which `WAYMARK_TEST_SEED` chooses.
@Suite(
    .waits, .timeLimit(.minutes(60)),
    .enabled(if: PowerCutShim.compiler != nil && OtherUser.isPossible, "it needs a C compiler and root"))
struct ProtectionStepTests {
    private static let examinesAll = getenv("WAYMARK_EVERY_STEP") != nil
    private static let cuts: [CutStyle] = [.nothing, .prefix, .pages, .sectors]

    @Test(arguments: ProtectionOperation.allCases)
    func `the secrets of before or of after unlock everything, whatever step is the last`(
        operation: ProtectionOperation
    ) throws {
        try Self.examine(operation, of: nil)
    }

    @Test(arguments: [ProtectionOperation.setPassphrase, .changePassphrase, .switchOff])
    func `the same with the secrets of a user`(operation: ProtectionOperation) throws {
        try Self.examine(operation, of: OtherUser.nobody)
    }

    private static func examine(_ operation: ProtectionOperation, of user: UInt32?) throws {
        // Only where positions are recorded meanwhile is the receiver needed to the end.
        let seconds = examinesAll ? 1_800 : operation.records ? 600 : 150
        let prepared = try PreparedProtection(of: user, receiverSeconds: seconds)
        var random = SeededGenerator()
        // A lock falls ten seconds after it was requested.
        let workers = operation == .lock ? 8 : 1
        let tally = try ProtectionStepRun(operation, from: prepared)
            .perform(workers: workers, seed: random.next()) { steps in
                choose(from: steps, operation, of: user, using: &random)
            }
        #expect(tally.findings.isEmpty, "\(tally)")
        print(user == nil ? "\(tally)" : "\(tally), of a user")
    }

    private static func choose(
        from steps: [String], _ operation: ProtectionOperation, of user: UInt32?, using random: inout SeededGenerator
    ) -> [(step: Int, ends: [CutStyle?])] {
        // Without losing something, a loss of power leaves what a kill does.
        if examinesAll { return steps.indices.map { ($0 + 1, [nil] + cuts) } }
        let examinesKeys = user == nil && (operation == .setPassphrase || operation == .changePassphrase)
        let interval = user == nil ? 9 : 15
        let offset = Int.random(in: 0..<interval, using: &random)
        return steps.indices.filter { index in
            index % interval == offset || examinesKeys && isOnKeys(steps[index])
        }.map { index in
            (index + 1, [Bool.random(using: &random) ? nil : cuts.randomElement(using: &random)])
        }
    }

    /// Whether a step is on a file of keys, or on a directory.
    private static func isOnKeys(_ step: String) -> Bool {
        step.contains("protection") || step.contains(".key") || step.hasSuffix(" .")
    }
}
