import CNetlink
import Glibc
import Reachability

/// RTM_NEWLINK or RTM_DELLINK, rtnetlink(7): an interface, or that it is gone.
struct LinkMessage: Equatable {
    /// The interface; `deviceType` is not the kernel's to tell here.
    var link: Link

    /// Nil for any other message, one about a bridge's port as such, or one that is cut off.
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

/// What the fixed part of a message about an interface says.
struct LinkHead {
    /// IFF_LOWER_UP, which linux/if.h has and net/if.h has not.
    private static let lowerUp: UInt32 = 1 << 16

    private let fixed: ifinfomsg

    /// Nil where the message is cut off.
    init?(_ message: NetlinkMessage) {
        guard let fixed = message.fixedPart(ifinfomsg.self), fixed.ifi_index > 0 else { return nil }
        self.fixed = fixed
    }

    /// The kernel's number for the interface.
    var index: Int32 { fixed.ifi_index }
    /// ARPHRD_*.
    var hardwareType: UInt16 { fixed.ifi_type }
    /// Whether it tells what the interface is to a bridge: it leaves one with RTM_DELLINK and is not gone.
    var isOfBridge: Bool { Int32(fixed.ifi_family) == AF_BRIDGE }
    /// Whether the interface was set up.
    var isUp: Bool { has(UInt32(IFF_UP.rawValue)) }
    /// Whether it has a carrier and can carry packets.
    var isRunning: Bool { isUp && has(UInt32(IFF_RUNNING.rawValue) | Self.lowerUp) }

    private func has(_ flags: UInt32) -> Bool { fixed.ifi_flags & flags == flags }
}
