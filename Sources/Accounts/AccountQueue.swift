/// The order in which user ids are looked up: pure.
///
/// A directory server that does not respond blocks a lookup without limit, and one user may own 65,536 user ids without
/// an account, subuid(5). Therefore, user ids that had an account before have priority and lookups of their own. The
/// others are scheduled fairly by blocks of 65,536, the size in which such ranges are assigned: the next one belongs to
/// the block with the fewest running lookups.
struct AccountQueue {
    /// Concurrent lookups of user ids with a known account, of others, and of others in one block.
    static let mostKnown = 2
    static let mostOthers = 4
    static let mostOfBlock = 2
    /// The maximum number of queued user ids of each kind. A further one is looked up when it is next needed.
    static let mostWaiting = 1_024
    /// The maximum number of queued user ids of one block.
    static let mostWaitingOfBlock = 512

    private struct Request {
        var uid: UInt32
        var isKnown: Bool
        var block: UInt32 { uid >> 16 }
    }

    private var waiting: [Request] = []
    private var running: [UInt32: Request] = [:]

    /// Whether a user id is queued or being looked up.
    func contains(_ uid: UInt32) -> Bool { running[uid] != nil || waiting.contains { $0.uid == uid } }

    /// Queues a user id, unless it is queued or running already. Returns false if there is no room.
    /// - Parameter isKnown: Whether an account had it before.
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

    /// Removes the next user id from the queue and counts its lookup as running; nil if none may start.
    mutating func next() -> UInt32? {
        guard let index = nextIndex() else { return nil }
        let request = waiting.remove(at: index)
        running[request.uid] = request
        return request.uid
    }

    /// Called when the lookup of a user id has ended.
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
