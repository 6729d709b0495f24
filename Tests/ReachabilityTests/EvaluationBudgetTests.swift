import Reachability
import TestSupport
import Testing

struct EvaluationBudgetTests {
    @Test func `twenty evaluations may run in a row, and twenty more each second`() {
        var budget = EvaluationBudget()
        let start = 100 * seconds
        // The table in the comment of EvaluationBudget.
        for (count, last) in [(1, 0), (20, 0), (30, 500), (100, 4_000)] as [(Int, UInt64)] {
            budget = EvaluationBudget()
            var now = start
            for _ in 0..<count {
                now = max(now, budget.next)
                let isThere = budget.spend(at: now)
                #expect(isThere)
            }
            #expect((now - start) / milliseconds == last)
        }
    }

    @Test func `a missing token is not spent, and becomes available when announced`() {
        var budget = EvaluationBudget()
        for _ in 0..<20 { _ = budget.spend(at: seconds) }
        for _ in 0..<100 {
            let isThere = budget.spend(at: seconds)
            #expect(!isThere)
        }
        #expect(budget.next == seconds + 50 * milliseconds)
        let early = budget.spend(at: budget.next - 1)
        let inTime = budget.spend(at: budget.next)
        #expect(!early && inTime)
    }

    @Test func `no period of time contains more evaluations`() {
        var generator = SeededGenerator()
        var budget = EvaluationBudget()
        var now: UInt64 = 0
        var spent: [UInt64] = []
        for _ in 0..<5_000 {
            now += UInt64.random(in: 0...60, using: &generator) * milliseconds / 2
            if budget.spend(at: now) { spent.append(now) }
        }
        for (index, start) in spent.enumerated() {
            for (count, end) in spent[index...].prefix(100).enumerated() {
                #expect(UInt64(count) <= 20 + (end - start) / (50 * milliseconds), "\(generator)")
            }
        }
    }
}
