import Interfaces

/// The queue of prompts to show: one at a time, in the order in which they came.
public struct PromptQueue: Equatable, Sendable {
    /// The prompt that is shown.
    public private(set) var current: Question?
    /// The prompts that follow.
    public private(set) var waiting: [Question] = []
    /// Prompts that found no room in the queue: `waymark requests` lists them.
    public private(set) var leftOut = 0

    /// The limit of queued prompts; the daemon retains all of them.
    public static let mostWaiting = 64

    /// An empty queue.
    public init() {}

    /// The number of open prompts.
    public var count: Int { waiting.count + (current == nil ? 0 : 1) }

    /// Appends a prompt, and returns whether it is to be shown now, perhaps again. A prompt with the number of a queued
    /// one replaces that one, unless only the proof of the app's identity is missing from it.
    public mutating func add(_ question: Question) -> Bool {
        if let current, current.id == question.id {
            guard question.replaces(current) else { return false }
            self.current = question
            return true
        }
        if let index = waiting.firstIndex(where: { $0.id == question.id }) {
            if question.replaces(waiting[index]) { waiting[index] = question }
            return false
        }
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

    /// Removes a prompt, and returns whether it was the one shown: then `next` is to be shown.
    public mutating func withdraw(_ id: Int64) -> Bool {
        waiting.removeAll { $0.id == id }
        guard current?.id == id else { return false }
        current = nil
        return true
    }

    /// Removes the current prompt and returns the next one to show.
    public mutating func next() -> Question? {
        current = waiting.isEmpty ? nil : waiting.removeFirst()
        return current
    }
}

extension Question {
    /// Whether it differs from an earlier state of the same prompt. After a restart the daemon may send a prompt without
    /// the proof that it sent before; that proof is still valid.
    fileprivate func replaces(_ earlier: Question) -> Bool { self != earlier && assurance != nil }
}
