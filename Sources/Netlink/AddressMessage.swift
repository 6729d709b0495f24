import CNetlink
import NetworkPaths
import Reachability

/// RTM_NEWADDR or RTM_DELADDR, rtnetlink(7): an address of an interface was added, changed or removed.
struct AddressMessage: Equatable {
    /// The interface.
    var interface: Int32
    /// The address.
    var address: InterfaceAddress

    /// Nil for any other message, for another address family, and for a truncated message.
    init?(_ message: NetlinkMessage) {
        guard message.type == Int(RTM_NEWADDR) || message.type == Int(RTM_DELADDR),
            let fixed = message.fixedPart(ifaddrmsg.self),
            let family = IPAddress.Family(number: Int(fixed.ifa_family)),
            Int(fixed.ifa_prefixlen) <= family.byteCount * 8, fixed.ifa_index <= UInt32(Int32.max)
        else { return nil }
        var flags = UInt32(fixed.ifa_flags)
        var own: IPAddress?
        var peer: IPAddress?
        for attribute in message.attributes(after: ifaddrmsg.self) {
            switch attribute.type {
            case Int(IFA_LOCAL): own = attribute.address(family)
            case Int(IFA_ADDRESS): peer = attribute.address(family)
            case Int(IFA_FLAGS): flags = attribute.value(UInt32.self) ?? flags
            default: break
            }
        }
        // On a point-to-point link IFA_ADDRESS is the peer's address; without IFA_LOCAL it is this machine's.
        guard let address = own ?? peer else { return nil }
        interface = Int32(fixed.ifa_index)
        self.address = InterfaceAddress(
            address: address, prefixLength: Int(fixed.ifa_prefixlen), scope: fixed.ifa_scope,
            isTentative: flags & UInt32(IFA_F_TENTATIVE) != 0 && flags & UInt32(IFA_F_OPTIMISTIC) == 0,
            isDuplicate: flags & UInt32(IFA_F_DADFAILED) != 0)
    }
}
