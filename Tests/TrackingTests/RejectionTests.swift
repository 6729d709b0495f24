import TestSupport
import Testing
import Tracking

@Suite struct RejectionTests {
    @Test func `each reason has a summary of its own, a condition, and advice that is a sentence`() {
        let explanations = Rejection.allCases.map(\.explanation)
        #expect(Set(explanations.map(\.summary)).count == explanations.count)
        for explanation in explanations {
            #expect(!explanation.condition.hasSuffix(".") && !explanation.summary.hasSuffix("."))
            #expect(explanation.advice?.hasSuffix(".") != false)
        }
    }

    @Test func `a reason of a later version is shown by its name`() {
        #expect(Rejection.summary(of: "nullIsland") == Rejection.nullIsland.explanation.summary)
        #expect(Rejection.summary(of: "laterReason") == "laterReason")
    }

    @Test func `the page about receivers has every reason, with its condition and advice`() throws {
        let page = try GeneratedText("Documentation/receiver.md")
        let rows = Rejection.allCases.map { reason in
            let explanation = reason.explanation
            return "| `\(reason.rawValue)` | \(explanation.condition) | \(explanation.advice ?? "–") |\n"
        }
        let table = "| reason | when | advice of `waymark doctor` |\n| --- | --- | --- |\n" + rows.joined()
        let written = try page.isCurrent(page.replacing(part: "rejections", with: table))
        #expect(written, "write it again: WAYMARK_WRITE_REFERENCE=1 swift test --filter RejectionTests")
    }
}
