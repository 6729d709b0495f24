import CNetlink
import Glibc

/// A socket filter that the kernel runs for each announcement before queueing it, so that irrelevant announcements do
/// not wake the daemon: neighbours are discovered and verified all the time. bpf(4), SO_ATTACH_FILTER.
enum NeighbourFilter {
    /// Of the messages about neighbours, passes only those about a FAILED neighbour or about an IPv6 router that is
    /// reachable. The kernel skips routes whose router has FAILED (rt6_check_neigh of net/ipv6/route.c) and uses them
    /// again when the router replies. A route query does not show such a router, so the recovery has to be announced.
    static let failuresOnly = program(watchingAll: false)
    /// Passes all messages about IPv4 and IPv6 neighbours.
    static let all = program(watchingAll: true)

    /// The offsets of nlmsg_type, ndm_family, ndm_state and ndm_flags in a message.
    private static let typeOffset: UInt32 = 4
    private static let familyOffset: UInt32 = 16
    private static let stateOffset: UInt32 = 24
    private static let flagsOffset: UInt32 = 26

    private static func program(watchingAll: Bool) -> [sock_filter] {
        let loadHalf = UInt16(BPF_LD | BPF_H | BPF_ABS)
        let loadByte = UInt16(BPF_LD | BPF_B | BPF_ABS)
        let ifEqual = UInt16(BPF_JMP | BPF_JEQ | BPF_K)
        let ifAny = UInt16(BPF_JMP | BPF_JSET | BPF_K)
        let end = UInt16(BPF_RET | BPF_K)
        // The filter loads numbers in network byte order; the message has them in the machine's.
        func swapped(_ number: Int) -> UInt32 { UInt32(UInt16(number).bigEndian) }
        let stateOfInterest = watchingAll ? UInt32(UInt16.max) : swapped(Int(NUD_FAILED))
        let answers = swapped(Int(NUD_REACHABLE | NUD_STALE | NUD_PERMANENT | NUD_NOARP))
        return [
            sock_filter(code: loadHalf, jt: 0, jf: 0, k: typeOffset),
            sock_filter(code: ifEqual, jt: 1, jf: 0, k: swapped(Int(RTM_NEWNEIGH))),
            sock_filter(code: ifEqual, jt: 0, jf: 9, k: swapped(Int(RTM_DELNEIGH))),
            // The forwarding entries of a bridge are neighbour messages too.
            sock_filter(code: loadByte, jt: 0, jf: 0, k: familyOffset),
            sock_filter(code: ifEqual, jt: 8, jf: 0, k: UInt32(AF_BRIDGE)),
            sock_filter(code: loadHalf, jt: 0, jf: 0, k: stateOffset),
            sock_filter(code: ifAny, jt: 5, jf: 0, k: stateOfInterest),
            sock_filter(code: ifAny, jt: 0, jf: 5, k: answers),
            sock_filter(code: loadByte, jt: 0, jf: 0, k: familyOffset),
            sock_filter(code: ifEqual, jt: 0, jf: 3, k: UInt32(AF_INET6)),
            sock_filter(code: loadByte, jt: 0, jf: 0, k: flagsOffset),
            sock_filter(code: ifAny, jt: 0, jf: 1, k: UInt32(NTF_ROUTER)),
            sock_filter(code: end, jt: 0, jf: 0, k: UInt32.max),
            sock_filter(code: end, jt: 0, jf: 0, k: 0),
        ]
    }

    /// Replaces the filter of a socket atomically. Returns whether the kernel accepted it.
    static func attach(_ program: [sock_filter], to socket: Int32) -> Bool {
        var program = program
        return program.withUnsafeMutableBufferPointer { instructions in
            var whole = sock_fprog(len: UInt16(instructions.count), filter: instructions.baseAddress)
            return setsockopt(
                socket, SOL_SOCKET, SO_ATTACH_FILTER, &whole, socklen_t(MemoryLayout<sock_fprog>.size)) == 0
        }
    }
}
