import Configuration

/// The programs that may show a user the questions of apps.
struct AgentPrograms: Equatable, Sendable {
    /// Their absolute paths.
    let paths: Set<String>

    /// Those that the configuration names.
    init(_ names: [String]) {
        paths = Set(names.compactMap { $0 == AgentPath.own ? Self.own : $0 })
    }

    /// The `waymark` beside the program that runs.
    private static let own = ProgramFolder.path.map { $0 + "waymark" }
}
