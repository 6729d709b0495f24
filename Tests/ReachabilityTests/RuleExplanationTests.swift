import NetworkPaths
import Reachability
import Testing

struct RuleExplanationTests {
    private func rule(
        _ priority: UInt32, _ action: RoutingRule.Action, _ change: (inout RoutingRule) -> Void = { _ in }
    ) -> RoutingRule {
        var rule = RoutingRule(priority: priority, action: action)
        change(&rule)
        return rule
    }

    private let main = RoutingRule(priority: 32_766, action: .table(254))

    private func explain(
        _ rules: [RoutingRule], table: UInt32 = 254, length: Int = 0, from source: IPAddress? = nil, uid: UInt32? = nil,
        through interface: String? = nil
    ) -> RuleExplanation {
        RuleExplanation(
            rules,
            for: RuleExplanation.Packet(
                to: ip("192.0.2.7"), from: source, uid: uid, outputInterface: interface),
            answer: .route(table: table, prefixLength: length))
    }

    @Test func `the rule with the table of the reply is decisive, the others were tried`() {
        let found = explain([rule(0, .table(255)), main])
        #expect(found.decisive == main)
        #expect(found.attempts.map(\.fit) == [.yes, .yes])
        #expect(found.isCertain)
    }

    @Test func `rules match destinations, sources, users and interfaces`() {
        let cases: [(RoutingRule, Bool)] = [
            (rule(10, .table(100)) { $0.destination = prefix("192.0.2.0/24") }, true),
            (rule(10, .table(100)) { $0.destination = prefix("192.0.3.0/24") }, false),
            (rule(10, .table(100)) { $0.destination = prefix("192.0.2.7/32") }, true),
            (rule(10, .table(100)) { $0.destination = prefix("192.0.2.6/31") }, true),
            (rule(10, .table(100)) { $0.destination = prefix("192.0.2.8/31") }, false),
            (rule(10, .table(100)) { $0.source = prefix("10.0.0.0/8") }, true),
            (rule(10, .table(100)) { $0.source = prefix("10.0.0.6/32") }, false),
            (rule(10, .table(100)) { $0.users = 1_000...1_000 }, true),
            (rule(10, .table(100)) { $0.users = 0...999 }, false),
            (rule(10, .table(100)) { $0.outputInterface = "eth0" }, true),
            (rule(10, .table(100)) { $0.outputInterface = "eth1" }, false),
            (rule(10, .table(100)) { $0.inputInterface = "lo" }, true),
            (rule(10, .table(100)) { $0.inputInterface = "eth0" }, false),
            (
                rule(10, .table(100)) {
                    $0.destination = prefix("192.0.3.0/24")
                    $0.isInverted = true
                }, true
            ),
            (
                rule(10, .table(100)) {
                    $0.destination = prefix("192.0.2.0/24")
                    $0.isInverted = true
                }, false
            ),
        ]
        for (rule, fits) in cases {
            let found = explain(
                [rule, main], table: 100, from: ip("10.0.0.5"), uid: 1_000, through: "eth0")
            #expect((found.decisive == rule) == fits)
            #expect(found.attempts.first?.fit == (fits ? .yes : .no))
        }
        // An unknown user matches no range.
        let unknown = explain([rule(10, .table(100)) { $0.users = 0...999 }, main], table: 100)
        #expect(unknown.decisive == nil)
        let early = explain([rule(10, .table(100)) { $0.source = prefix("10.0.0.0/8") }, main], table: 100)
        #expect(early.decisive == nil)
    }

    @Test func `a rule for marks is unknown, and so is the result after it`() {
        let marked = rule(10, .table(100)) { $0.mark = RoutingRule.Mark(1, mask: 0xff) }
        let found = explain([marked, main])
        #expect(found.attempts.map(\.fit) == [.unknown, .yes])
        #expect(found.decisive == main)
        #expect(!found.isCertain)
        let ports = rule(10, .table(100)) { $0.hasOtherConditions = true }
        #expect(explain([ports, main]).attempts.first?.fit == .unknown)
        // A mark does not matter for a rule that does not match the destination.
        let elsewhere = rule(10, .table(100)) {
            $0.mark = RoutingRule.Mark(1, mask: 0xff)
            $0.destination = prefix("198.51.100.0/24")
        }
        #expect(explain([elsewhere, main]).isCertain)
    }

    @Test func `the rules of a tunnel that marks its own packets`() {
        // As wg-quick(8) creates them.
        let rules = [
            rule(0, .table(255)),
            rule(32_764, .table(254)) { $0.suppressedPrefixLength = 0 },
            rule(32_765, .table(51_820)) {
                $0.mark = RoutingRule.Mark(0xca6c, mask: .max)
                $0.isInverted = true
            },
            main,
        ]
        #expect(explain(rules, table: 51_820).decisive?.priority == 32_765)
        #expect(!explain(rules, table: 51_820).isCertain)
        #expect(explain(rules, table: 254, length: 24).decisive?.priority == 32_764)
        #expect(explain(rules, table: 254, length: 24).isCertain)
        #expect(explain(rules, table: 254, length: 0).decisive?.priority == 32_766)
    }

    @Test func `a rule may jump to a later one`() {
        let rules = [rule(10, .goto(100)), rule(50, .table(7)), rule(100, .table(7)), main]
        let found = explain(rules, table: 7)
        #expect(found.decisive?.priority == 100)
        #expect(found.attempts.map(\.rule.priority) == [10, 100])
    }

    @Test(arguments: [
        (RoutingRule.Action.prohibit, UnreachableReason.prohibited), (.unreachable, .noRoute),
        (.blackhole, .blackhole),
    ])
    func `a rule that prohibits is named`(action: RoutingRule.Action, reason: UnreachableReason) {
        let packet = RuleExplanation.Packet(to: ip("192.0.2.7"))
        let forbidding = rule(10, action)
        #expect(RuleExplanation([forbidding, main], for: packet, answer: .refused(reason)).decisive == forbidding)
        #expect(RuleExplanation([main], for: packet, answer: .refused(reason)).decisive == nil)
        #expect(
            RuleExplanation([forbidding, main], for: packet, answer: .refused(.gatewayNotAnswering)).decisive == nil)
    }
}
