/// The users whose screens are locked.
struct ScreenLocks: Equatable {
    /// Those that were declared by `waymark screen lock`, until they are declared as unlocked.
    var declared: Set<UInt32> = []
    /// Those that logind reports.
    var reported: Set<UInt32> = []

    /// All of them.
    var all: Set<UInt32> { declared.union(reported) }
    /// Whether no screen is locked.
    var isEmpty: Bool { declared.isEmpty && reported.isEmpty }
}
