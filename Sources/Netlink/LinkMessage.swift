import CNetlink
import Glibc
import Reachability

/// RTM_NEWLINK or RTM_DELLINK, rtnetlink(7): an interface was added, changed or removed.
struct LinkMessage: Equatable {
    /// The interface; `deviceType` is nil, because this message does not contain it.
    var link: Link

    /// Nil for any other message, for a message about a bridge port as such, and for a truncated message.
    init?(_ message: NetlinkMessage) {
        guard message.type == Int(RTM_NEWLINK), let head = LinkHead(message), !head.isOfBridge else { return nil }
        link = Link(
            index: head.index, name: "", hardwareType: head.hardwareType, isUp: head.isUp, isRunning: head.isRunning)
        var portKind: String?
        for attribute in message.attributes(after: ifinfomsg.self) {
            switch attribute.type {
            case Int(IFLA_IFNAME):
                link.name = attribute.text
            case Int(IFLA_LINKINFO):
                for nested in attribute.nested {
                    if nested.type == Int(IFLA_INFO_KIND) { link.virtualKind = nested.text }
                    if nested.type == Int(IFLA_INFO_SLAVE_KIND) { portKind = nested.text }
                }
            case Int(IFLA_MASTER):
                link.controller = attribute.value(Int32.self)
            default:
                break
            }
        }
        if portKind == "vrf" { link.controller = nil }
    }
}

/// The fixed part of a message about an interface.
struct LinkHead {
    /// IFF_LOWER_UP, which linux/if.h defines and net/if.h does not.
    private static let lowerUp: UInt32 = 1 << 16

    private let fixed: ifinfomsg

    /// Nil if the message is truncated.
    init?(_ message: NetlinkMessage) {
        guard let fixed = message.fixedPart(ifinfomsg.self), fixed.ifi_index > 0 else { return nil }
        self.fixed = fixed
    }

    /// The interface index.
    var index: Int32 { fixed.ifi_index }
    /// ARPHRD_*.
    var hardwareType: UInt16 { fixed.ifi_type }
    /// Whether the message is about the interface's role in a bridge. Its RTM_DELLINK means that the interface left the
    /// bridge, not that it was removed.
    var isOfBridge: Bool { Int32(fixed.ifi_family) == AF_BRIDGE }
    /// Whether the interface is administratively up.
    var isUp: Bool { has(UInt32(IFF_UP.rawValue)) }
    /// Whether it has a carrier and can transmit packets.
    var isRunning: Bool { isUp && has(UInt32(IFF_RUNNING.rawValue) | Self.lowerUp) }

    private func has(_ flags: UInt32) -> Bool { fixed.ifi_flags & flags == flags }
}
