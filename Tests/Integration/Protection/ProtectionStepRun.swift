import Glibc
import Platform
import PowerCut
import Synchronization
import TestSupport

/// Interrupts one operation of data protection before each of some steps, on a few threads, and adds up what was found.
final class ProtectionStepRun: Sendable {
    /// The sum.
    struct Tally: CustomStringConvertible, Sendable {
        let operation: ProtectionOperation
        var steps = 0
        var kills = 0
        var cuts = 0
        var unsynchronized = 0
        /// What is wrong, with the step.
        var findings: [String] = []

        var description: String {
            "\(kills) kills and \(cuts) cuts with \(unsynchronized) changes that were not synchronized, before steps of"
                + " \(operation), which has \(steps): "
                + (findings.isEmpty ? "everything can be read" : findings.joined(separator: "; "))
        }
    }

    private let operation: ProtectionOperation
    private let prepared: PreparedProtection
    private let state: Mutex<(pending: [(step: Int, ends: [CutStyle?])], workers: Int, tally: Tally)>

    init(_ operation: ProtectionOperation, from prepared: PreparedProtection) {
        (self.operation, self.prepared) = (operation, prepared)
        state = Mutex(([], 0, Tally(operation: operation)))
    }

    /// Performs the operation once to its end, then before each of the steps that are chosen from all of them, with the ends
    /// that are chosen for each: a cut of this style, or nil for a kill alone.
    func perform(
        workers: Int, seed: UInt64, _ choose: (_ steps: [String]) -> [(step: Int, ends: [CutStyle?])]
    ) throws -> Tally {
        let bench = try ProtectionStepBench(operation, from: prepared)
        var random = SeededGenerator(seed: seed)
        let (whole, steps) = try bench.interrupt(before: 0)
        state.withLock { $0.tally.steps = steps.count }
        try examine(whole, [nil, .nothing], bench, &random)
        let chosen = choose(steps)
        state.withLock { ($0.pending, $0.workers) = (chosen, workers) }
        for worker in 0..<workers {
            try DetachedThread.start(name: "step-worker") { [self] in
                do { try work(seed: seed &+ UInt64(worker)) } catch { add("\(error)") }
                state.withLock { $0.workers -= 1 }
            }
        }
        while !eventually(within: 60, { state.withLock { $0.workers == 0 } }) {}
        return state.withLock { $0.tally }
    }

    private func work(seed: UInt64) throws {
        let bench = try ProtectionStepBench(operation, from: prepared)
        var random = SeededGenerator(seed: seed)
        while let (step, ends) = state.withLock({ $0.tally.findings.isEmpty ? $0.pending.popLast() : nil }) {
            try examine(try bench.interrupt(before: step).remains, ends, bench, &random)
        }
    }

    /// The first end is that of the state directory as the kill has left it, if it is a kill.
    private func examine(
        _ remains: ProtectionStepBench.Remains, _ ends: [CutStyle?], _ bench: ProtectionStepBench,
        _ random: inout SeededGenerator
    ) throws {
        for style in ends {
            let (findings, unsynchronized) = try bench.check(remains, cut: style, using: &random)
            state.withLock {
                if style == nil { $0.tally.kills += 1 } else { $0.tally.cuts += 1 }
                $0.tally.unsynchronized += unsynchronized
            }
            guard findings.isEmpty else {
                let instant = remains.step.map { "before step \($0)" } ?? "after the last step"
                return add(
                    "\(instant), \(style.map { "cut: \($0)" } ?? "killed"): \(findings.joined(separator: "; "))")
            }
        }
    }

    private func add(_ finding: String) { state.withLock { $0.tally.findings.append(finding) } }
}
