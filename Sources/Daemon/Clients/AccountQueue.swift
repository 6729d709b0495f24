/// Which user ids are looked up next: pure.
///
/// A directory server that does not answer holds a look-up for as long as it likes, and one user can have 65,536 user ids that
/// no account has, subuid(5). So user ids that had an account before go first and have look-ups of their own; of the others
/// those of each block of 65,536, as such ranges are given out, have turns: the next is of the block with the fewest look-ups.
struct AccountQueue {
    /// How many look-ups of user ids with an account run at once, and how many others; of these, how many of one block.
    static let mostKnown = 2
    static let mostOthers = 4
    static let mostOfBlock = 2
    /// How many wait of each sort; a further user id is looked up when it is next needed.
    static let mostWaiting = 1_024
    /// How many of these may be of one block.
    static let mostWaitingOfBlock = 512

    private struct Request {
        var uid: UInt32
        var isKnown: Bool
        var block: UInt32 { uid >> 16 }
    }

    private var waiting: [Request] = []
    private var running: [UInt32: Request] = [:]

    /// Whether a user id waits or is being looked up.
    func contains(_ uid: UInt32) -> Bool { running[uid] != nil || waiting.contains { $0.uid == uid } }

    /// Has a user id wait for its turn, unless it does already; false where there is no room.
    /// - Parameter isKnown: whether an account had it before.
    mutating func add(_ uid: UInt32, isKnown: Bool) -> Bool {
        guard !contains(uid) else { return true }
        let request = Request(uid: uid, isKnown: isKnown)
        let alike = waiting.filter { $0.isKnown == isKnown }
        guard alike.count < Self.mostWaiting else { return false }
        guard isKnown || alike.count(where: { $0.block == request.block }) < Self.mostWaitingOfBlock else {
            return false
        }
        waiting.append(request)
        return true
    }

    /// The next to be looked up, which counts as under way from then on; nil where none may be.
    mutating func next() -> UInt32? {
        guard let index = nextIndex() else { return nil }
        let request = waiting.remove(at: index)
        running[request.uid] = request
        return request.uid
    }

    /// A user id has been looked up.
    mutating func ended(_ uid: UInt32) { running[uid] = nil }

    private func nextIndex() -> Int? {
        let known = running.values.count { $0.isKnown }
        if known < Self.mostKnown, let index = waiting.firstIndex(where: \.isKnown) { return index }
        guard running.count - known < Self.mostOthers else { return nil }
        var counts: [UInt32: Int] = [:]
        for request in running.values where !request.isKnown { counts[request.block, default: 0] += 1 }
        var best: (index: Int, count: Int)?
        for (index, request) in waiting.enumerated() where !request.isKnown {
            let count = counts[request.block] ?? 0
            if count < Self.mostOfBlock, count < best?.count ?? .max { best = (index, count) }
            if best?.count == 0 { break }
        }
        return best?.index
    }
}
