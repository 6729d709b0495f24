import Platform

/// The processes for which the inspector missed the deadline.
struct SlowProcesses {
    /// How often the inspector may miss the deadline for a process: the first time the machine may have been busy.
    static let mostTimeouts = 2
    /// The most processes that are remembered, each with a pidfd.
    private static let most = 64

    private struct Entry {
        /// As long as it is alive, no other process has its number.
        let peer: PeerIdentity
        var timeouts = 0
    }

    /// The oldest first.
    private var entries: [Entry] = []

    /// How often the inspector has missed the deadline for a process.
    func timeouts(of peer: PeerIdentity) -> Int {
        entries.first { $0.peer.processID == peer.processID && $0.peer.isAlive }?.timeouts ?? 0
    }

    /// Records that the inspector missed the deadline for a process, and returns how often it has by now.
    mutating func noteTimeout(of peer: PeerIdentity) -> Int {
        let timeouts = timeouts(of: peer) + 1
        entries.removeAll { $0.peer.processID == peer.processID || !$0.peer.isAlive }
        if entries.count >= Self.most { entries.removeFirst() }
        entries.append(Entry(peer: peer, timeouts: timeouts))
        return timeouts
    }
}
