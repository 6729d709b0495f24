import Location
import Testing

@testable import ReceiverSimulator

struct InvocationTests {
    private func order(_ arguments: [String]) throws -> Invocation.Order {
        guard case .make(let order) = try Invocation(arguments) else { throw NoOrder() }
        return order
    }

    private struct NoOrder: Error {}

    @Test func `a scenario alone is made as usual`() throws {
        let order = try order(["make", "drive"])
        #expect(order.seed == 1 && order.output == nil && order.truth == nil)
        #expect(order.scenario.name == "drive" && order.scenario.duration == 350 && order.scenario.rate == 1)
        #expect(order.scenario.start == UTCTime(microseconds: 1_780_300_800_000_000))
    }

    @Test func `every option is understood, after a space or an equals sign`() throws {
        let order = try order([
            "make", "--seed=42", "walk", "--duration", "12.5", "--rate", "2", "--start", "2027-01-02T03:04:05Z",
            "--output", "a", "--truth=b", "--with", "tunnel", "--with=damaged",
        ])
        #expect(order.seed == 42 && order.output == "a" && order.truth == "b")
        #expect(order.scenario.name == "walk+tunnel+damaged")
        #expect(order.scenario.duration == 12.5 && order.scenario.rate == 2)
        #expect(order.scenario.start.iso8601(fraction: 3) == "2027-01-02T03:04:05.000Z")
    }

    @Test(
        arguments: [
            ([], "no command given"), (["record"], "unknown command 'record'"), (["list", "all"], "given 'all'"),
            (["make"], "needs a scenario"), (["make", "flight"], "unknown scenario 'flight'"),
            (["make", "drive", "walk"], "'walk' as well"), (["make", "drive", "--loud"], "unknown option '--loud'"),
            (["make", "drive", "--seed"], "--seed needs a value"), (["make", "drive", "--seed", "-1"], "not '-1'"),
            (["make", "drive", "--duration", "0"], "above 0"), (["make", "drive", "--rate", "nan"], "not 'nan'"),
            (["make", "drive", "--rate", "1000"], "up to 50"), (["make", "drive", "--start", "noon"], "not 'noon'"),
            (["make", "drive", "--with", "wings"], "unknown feature 'wings'"),
            (["make", "drive", "--output="], "a file"),
            (["make", "drive", "--visits", "v"], "commute, ferry, anchorage"),
        ] as [([String], String)])
    func `a wrong command line says what is wrong`(arguments: [String], part: String) {
        let error = #expect(throws: UsageError.self) { try Invocation(arguments) }
        #expect(error?.description.contains(part) == true)
    }

    @Test func `help is given anywhere`() throws {
        for arguments in [["--help"], ["make", "--help"], ["help"], ["make", "drive", "-h"]] {
            guard case .help = try Invocation(arguments) else {
                Issue.record("no help for \(arguments)")
                continue
            }
        }
    }

    @Test func `the list names every scenario once`() {
        for preset in Preset.all {
            #expect(Invocation.listText.contains("  \(preset.name) "))
            #expect(Preset.all.count { $0.name == preset.name } == 1)
        }
    }
}
