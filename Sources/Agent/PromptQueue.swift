import Interfaces

/// The questions that wait to be shown: one at a time, in the order in which they came.
public struct PromptQueue: Equatable, Sendable {
    /// The one that is shown.
    public private(set) var current: Question?
    /// The ones behind it.
    public private(set) var waiting: [Question] = []
    /// Questions that found no room: they stay listed in `waymark requests`.
    public private(set) var leftOut = 0

    /// More than this many wait nowhere: the daemon keeps them all the same.
    public static let mostWaiting = 64

    /// A queue of nothing.
    public init() {}

    /// How many are open.
    public var count: Int { waiting.count + (current == nil ? 0 : 1) }

    /// Takes up a question, and says whether it is the one to show now.
    public mutating func add(_ question: Question) -> Bool {
        if current?.id == question.id || waiting.contains(where: { $0.id == question.id }) { return false }
        if current == nil {
            current = question
            return true
        }
        guard waiting.count < Self.mostWaiting else {
            leftOut += 1
            return false
        }
        waiting.append(question)
        return false
    }

    /// Forgets a question, and says whether it was the one shown: then `next` is to be shown.
    public mutating func withdraw(_ id: Int64) -> Bool {
        waiting.removeAll { $0.id == id }
        guard current?.id == id else { return false }
        current = nil
        return true
    }

    /// The one to show after the current one, which is forgotten.
    public mutating func next() -> Question? {
        current = waiting.isEmpty ? nil : waiting.removeFirst()
        return current
    }
}
