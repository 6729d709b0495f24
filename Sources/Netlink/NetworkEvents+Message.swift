import CNetlink
import Reachability

extension NetworkEvents {
    /// Adds an announcement. Of an announced route only the fact that there was one is used.
    mutating func append(_ message: NetlinkMessage) {
        count += 1
        switch message.type {
        case Int(RTM_NEWLINK), Int(RTM_DELLINK):
            guard let head = LinkHead(message) else { return }
            changedLinks.insert(head.index)
            guard !head.isOfBridge, message.type == Int(RTM_DELLINK) || !head.isRunning else { return }
            interrupted.insert(head.index)
            hasRemovals = true
        case Int(RTM_DELADDR):
            guard let lost = AddressMessage(message) else { return }
            lostAddresses.insert(LostAddress(interface: lost.interface, address: lost.address.address))
            hasRemovals = true
        case Int(RTM_DELROUTE): hasRemovals = true
        default:
            break
        }
    }

    /// Adds a datagram of announcements.
    mutating func append(_ datagram: UnsafeRawBufferPointer) {
        NetlinkMessage.forEach(in: datagram) { message in
            append(message)
            return true
        }
    }
}
