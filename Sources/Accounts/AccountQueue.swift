/// The order in which user ids are looked up: pure.
///
/// A directory server that does not respond blocks a lookup without limit, and one user may own 65,536 user ids without
/// an account, subuid(5). Therefore, user ids with a known account have priority and lookups of their own. The others
/// are scheduled fairly by blocks of 65,536, the size in which such ranges are assigned: the next one belongs to the
/// block with the fewest running lookups. A range may be in two blocks, as 100,000 to 165,535 is, the first one that
/// useradd(8) assigns. So the limits of two blocks together are less than those of all.
public struct AccountQueue: Sendable {
    /// Concurrent lookups of user ids without a known account, and of those in one block.
    static let mostOthers = 6
    static let mostOfBlock = 2

    private struct Request {
        var uid: UInt32
        var isKnown: Bool
        var isRepeated: Bool
        var block: UInt32 { uid >> 16 }
    }

    private let mostKnown: Int
    private let mostWaiting: Int
    /// The maximum number of queued user ids of one block, so that those of a range leave half of the queue to others.
    private var mostWaitingOfBlock: Int { mostWaiting / 4 }
    private var waiting: [Request] = []
    private var running: [UInt32: Request] = [:]

    /// A queue that has at most `mostKnown` concurrent lookups of user ids with a known account, and at most
    /// `mostWaiting` queued user ids of each kind.
    public init(mostKnown: Int = 2, mostWaiting: Int = 1_024) {
        self.mostKnown = mostKnown
        self.mostWaiting = mostWaiting
    }

    /// Whether a user id is queued or being looked up.
    func contains(_ uid: UInt32) -> Bool { isRunning(uid) || waiting.contains { $0.uid == uid } }

    /// Whether a user id is being looked up.
    public func isRunning(_ uid: UInt32) -> Bool { running[uid] != nil }

    /// Queues a user id, unless it is queued or running already. Returns false if there is no room.
    /// - Parameters:
    ///   - isKnown: Whether it is known that the user id belongs to an account, or that it did before.
    ///   - isRepeated: Whether there is an earlier result. Such lookups come after the others of their block.
    public mutating func add(_ uid: UInt32, isKnown: Bool, isRepeated: Bool = false) -> Bool {
        guard !contains(uid) else { return true }
        let request = Request(uid: uid, isKnown: isKnown, isRepeated: isRepeated)
        let alike = waiting.filter { $0.isKnown == isKnown && $0.isRepeated == isRepeated }
        guard alike.count < mostWaiting else { return false }
        guard isKnown || alike.count(where: { $0.block == request.block }) < mostWaitingOfBlock else { return false }
        let end = isRepeated ? nil : waiting.firstIndex(where: \.isRepeated)
        waiting.insert(request, at: end ?? waiting.endIndex)
        return true
    }

    /// Removes the next user id from the queue and counts its lookup as running; nil if none may start.
    public mutating func next() -> UInt32? {
        guard let index = nextIndex() else { return nil }
        let request = waiting.remove(at: index)
        running[request.uid] = request
        return request.uid
    }

    /// Called when the lookup of a user id has ended.
    public mutating func ended(_ uid: UInt32) { running[uid] = nil }

    private func nextIndex() -> Int? {
        let known = running.values.count { $0.isKnown }
        if known < mostKnown, let index = waiting.firstIndex(where: \.isKnown) { return index }
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
