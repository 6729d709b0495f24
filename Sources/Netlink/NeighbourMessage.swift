import CNetlink
import Glibc
import NetworkPaths
import Reachability

/// RTM_NEWNEIGH or RTM_DELNEIGH, rtnetlink(7): a neighbour entry.
struct NeighbourMessage: Equatable {
    /// The link.
    var interface: Int32
    /// Its address; nil if the message has none.
    var address: IPAddress?
    /// The entry.
    var neighbour: Neighbour

    /// Nil for any other message, for another address family, and for a truncated message.
    init?(_ message: NetlinkMessage) {
        guard message.type == Int(RTM_NEWNEIGH) || message.type == Int(RTM_DELNEIGH),
            let fixed = message.fixedPart(ndmsg.self), let family = IPAddress.Family(number: Int(fixed.ndm_family))
        else { return nil }
        interface = fixed.ndm_ifindex
        neighbour = Neighbour(state: Neighbour.State(fixed.ndm_state))
        for attribute in message.attributes(after: ndmsg.self) {
            switch attribute.type {
            case Int(NDA_DST):
                address = attribute.address(family)
            case Int(NDA_CACHEINFO):
                let ticks = attribute.value(nda_cacheinfo.self)?.ndm_updated ?? 0
                neighbour.ageMilliseconds = UInt64(ticks) * 1_000 / Self.ticksPerSecond
            default:
                break
            }
        }
    }

    /// The unit of the times that the kernel reports to programs, sysconf(3).
    private static let ticksPerSecond = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
}

extension Neighbour.State {
    /// The state of NUD_* bits, of which one is set.
    init(_ bits: UInt16) {
        switch Int32(bits) {
        case NUD_INCOMPLETE: self = .incomplete
        case NUD_REACHABLE: self = .reachable
        case NUD_STALE: self = .stale
        case NUD_DELAY: self = .delay
        case NUD_PROBE: self = .probe
        case NUD_FAILED: self = .failed
        case NUD_NOARP: self = .noARP
        case NUD_PERMANENT: self = .permanent
        default: self = .none
        }
    }
}
