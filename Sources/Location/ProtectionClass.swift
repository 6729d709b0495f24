/// When data on the disk can be written and read, as iOS's classes of data protection.
public enum ProtectionClass: UInt8, CaseIterable, Sendable, Comparable {
    /// Always, on this machine: sealed with the machine's own secret.
    case none = 0
    /// From the first time on that the machine is unlocked after it was started.
    case completeUntilFirstUnlock = 1
    /// Written always, read while the machine is unlocked.
    case completeUnlessOpen = 2
    /// Only while the machine is unlocked.
    case complete = 3

    /// The word in manifests, restrictions and replies.
    public var word: String {
        switch self {
        case .none: "none"
        case .completeUntilFirstUnlock: "completeUntilFirstUnlock"
        case .completeUnlessOpen: "completeUnlessOpen"
        case .complete: "complete"
        }
    }

    /// The class of this word; nil if there is none.
    public init?(word: String) {
        guard let found = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = found
    }

    /// The classes that lock: all but the one that needs only the machine's secret.
    public static var locking: [ProtectionClass] { allCases.filter { $0 != .none } }

    /// Whether data of this class can be written in a state of the machine.
    public func canBeWritten(_ state: LockState) -> Bool {
        switch self {
        case .none, .completeUnlessOpen: true
        case .completeUntilFirstUnlock: state != .neverUnlocked
        case .complete: state == .unlocked
        }
    }

    /// Whether data of this class can be read in a state of the machine.
    public func canBeRead(_ state: LockState) -> Bool {
        switch self {
        case .none: true
        case .completeUntilFirstUnlock: state != .neverUnlocked
        case .complete, .completeUnlessOpen: state == .unlocked
        }
    }

    /// The order of strictness.
    public static func < (one: ProtectionClass, other: ProtectionClass) -> Bool { one.rawValue < other.rawValue }
}

/// Whether the person has unlocked the machine's data.
public enum LockState: Equatable, Sendable {
    /// Not since the machine was started.
    case neverUnlocked
    /// Unlocked, and locked again.
    case locked
    /// Unlocked at present.
    case unlocked
}
