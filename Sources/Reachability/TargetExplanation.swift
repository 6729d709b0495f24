import Location

/// What was looked at to judge a host, for a person.
struct TargetExplanation {
    private(set) var steps: [ReachabilityStep] = []

    init(
        _ finding: TargetFinding, of question: TargetQuestion, asking kernel: some Kernel, links: inout LinkBook
    ) {
    }
}
