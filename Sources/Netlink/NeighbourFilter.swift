import CNetlink
import Glibc

/// A program that the kernel runs for each announcement before it queues it, so that the daemon is not woken by what does
/// not matter: neighbours are heard of and verified all the time. bpf(4), SO_ATTACH_FILTER.
enum NeighbourFilter {
    /// Lets through of the neighbours' messages only that one has FAILED, and that a router of version 6 is there: the
    /// kernel passes over routes whose router has FAILED (rt6_check_neigh of net/ipv6/route.c), so that nobody who asks
    /// for routes learns of such a router, and takes them again when it answers.
    static let failuresOnly = program(watchingAll: false)
    /// Lets all through that are about neighbours of the Internet Protocol.
    static let all = program(watchingAll: true)

    /// Where in a message nlmsg_type, ndm_family, ndm_state and ndm_flags are.
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
        // The program loads numbers in network order, and the message has them in the machine's.
        func swapped(_ number: Int) -> UInt32 { UInt32(UInt16(number).bigEndian) }
        let stateOfInterest = watchingAll ? UInt32(UInt16.max) : swapped(Int(NUD_FAILED))
        let answers = swapped(Int(NUD_REACHABLE | NUD_STALE | NUD_PERMANENT | NUD_NOARP))
        return [
            sock_filter(code: loadHalf, jt: 0, jf: 0, k: typeOffset),
            sock_filter(code: ifEqual, jt: 1, jf: 0, k: swapped(Int(RTM_NEWNEIGH))),
            sock_filter(code: ifEqual, jt: 0, jf: 9, k: swapped(Int(RTM_DELNEIGH))),
            // What a bridge learns of its ports is called a neighbour too.
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

    /// Sets a program in the place of the one before, in one step; whether the kernel took it.
    static func attach(_ program: [sock_filter], to socket: Int32) -> Bool {
        var program = program
        return program.withUnsafeMutableBufferPointer { instructions in
            var whole = sock_fprog(len: UInt16(instructions.count), filter: instructions.baseAddress)
            return setsockopt(
                socket, SOL_SOCKET, SO_ATTACH_FILTER, &whole, socklen_t(MemoryLayout<sock_fprog>.size)) == 0
        }
    }
}
