import CNetlink
import NetworkPaths
import Reachability

/// RTM_NEWRULE, rtnetlink(7): a routing rule.
struct RuleMessage: Equatable {
    /// The rule.
    var rule: RoutingRule

    /// Nil for any other message, for another address family, and for a truncated message.
    init?(_ message: NetlinkMessage) {
        guard message.type == Int(RTM_NEWRULE), let fixed = message.fixedPart(fib_rule_hdr.self),
            let family = IPAddress.Family(number: Int(fixed.family)),
            Int(max(fixed.dst_len, fixed.src_len)) <= family.byteCount * 8
        else { return nil }
        var table = UInt32(fixed.table)
        var target: UInt32 = 0
        var mark = RoutingRule.Mark(0, mask: 0)
        rule = RoutingRule(priority: 0, action: .table(table))
        rule.isInverted = fixed.flags & UInt32(FIB_RULE_INVERT) != 0
        rule.hasOtherConditions = fixed.tos != 0
        for attribute in message.attributes(after: fib_rule_hdr.self) {
            switch attribute.type {
            case Int(FRA_PRIORITY): rule.priority = attribute.value(UInt32.self) ?? 0
            case Int(FRA_TABLE): table = attribute.value(UInt32.self) ?? table
            case Int(FRA_GOTO): target = attribute.value(UInt32.self) ?? 0
            case Int(FRA_FWMARK): mark.value = attribute.value(UInt32.self) ?? 0
            case Int(FRA_FWMASK): mark.mask = attribute.value(UInt32.self) ?? 0
            case Int(FRA_IIFNAME): rule.inputInterface = attribute.text
            case Int(FRA_OIFNAME): rule.outputInterface = attribute.text
            case Int(FRA_UID_RANGE): rule.users = Self.users(attribute)
            case Int(FRA_SRC):
                rule.source = attribute.address(family).map { RoutingRule.Prefix($0, length: Int(fixed.src_len)) }
            case Int(FRA_DST):
                rule.destination = attribute.address(family).map { RoutingRule.Prefix($0, length: Int(fixed.dst_len)) }
            case Int(FRA_SUPPRESS_PREFIXLEN):
                // A rule that suppresses nothing has all bits set.
                rule.suppressedPrefixLength = attribute.value(Int32.self).flatMap { $0 < 0 ? nil : Int($0) }
            case Int(FRA_TUN_ID), Int(FRA_L3MDEV), Int(FRA_IP_PROTO): rule.hasOtherConditions = true
            // Ports, and conditions that only newer kernels know.
            case Int(FRA_SPORT_RANGE)...: rule.hasOtherConditions = true
            default: break
            }
        }
        if mark.mask != 0 { rule.mark = mark }
        rule.action = RoutingRule.Action(fixed.action, table: table, target: target)
    }

    private static func users(_ attribute: NetlinkAttribute) -> ClosedRange<UInt32>? {
        guard let range = attribute.value(fib_rule_uid_range.self), range.start <= range.end else { return nil }
        return range.start...range.end
    }
}

extension RoutingRule.Action {
    /// The action of an FR_ACT_* number.
    init(_ number: UInt8, table: UInt32, target: UInt32) {
        switch Int(number) {
        case Int(FR_ACT_TO_TBL): self = .table(table)
        case Int(FR_ACT_GOTO): self = .goto(target)
        case Int(FR_ACT_BLACKHOLE): self = .blackhole
        case Int(FR_ACT_UNREACHABLE): self = .unreachable
        case Int(FR_ACT_PROHIBIT): self = .prohibit
        default: self = .other(number)
        }
    }
}
