/// What follows when the command for an event has failed.
struct FailurePolicy: Equatable {
    /// The words of `--on-failure`.
    enum Choice: String, CaseIterable {
        /// Run it again, while later events wait.
        case retry
        /// Acknowledge the event, and go on with the next one.
        case skip
        /// End, without acknowledging the event.
        case stop
    }

    /// The next step.
    enum Step: Equatable {
        /// Run the command again after so many seconds.
        case retry(seconds: Int)
        case skip
        case stop
    }

    let choice: Choice
    /// The failures of the present event.
    private(set) var failures = 0

    private static let longestPause = 300

    init(_ choice: Choice) { self.choice = choice }

    /// The step after one more failure of the present event.
    ///
    /// | failure | 1 | 2 | 3 | … | 9 | 10 |
    /// | --- | --- | --- | --- | --- | --- | --- |
    /// | pause in seconds | 1 | 2 | 4 | … | 256 | 300 |
    mutating func failed() -> Step {
        failures += 1
        switch choice {
        case .retry: return .retry(seconds: min(Self.longestPause, 1 << min(failures - 1, 16)))
        case .skip: return .skip
        case .stop: return .stop
        }
    }

    /// Begins with another event.
    mutating func reset() { failures = 0 }
}

/// Which events of a monitor run the command.
struct EventChoice: Equatable {
    /// The kinds of events, by the words of the interface.
    var kinds: Set<String>
    /// The region; nil for every one.
    var region: String?

    /// The options by which a kind is chosen.
    static let options = [
        ("enter", "entered"), ("leave", "left"), ("loiter", "loitered"), ("determined", "determined"),
        ("unknown", "unknown"),
    ]

    /// The choice of these options; entries and exits without any.
    init(_ given: (String) -> Bool, region: String?) {
        let chosen = Self.options.filter { given($0.0) }.map(\.1)
        kinds = Set(chosen.isEmpty ? ["entered", "left"] : chosen)
        self.region = region
    }

    func contains(kind: String, region: String?) -> Bool {
        kinds.contains(kind) && (self.region == nil || self.region == region)
    }
}
