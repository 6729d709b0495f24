import Configuration

/// The programs that may be agents.
struct AgentPrograms: Equatable, Sendable {
    /// Their absolute paths.
    let paths: Set<String>

    /// The programs that the configuration names.
    init(_ names: [String]) {
        paths = names.reduce(into: []) { paths, name in
            if name == AgentPath.own { paths.formUnion(Self.own) } else { paths.insert(name) }
        }
    }

    /// The `waymark-agent` that belongs to the running program.
    private static let own = ProgramFolder.paths(of: "waymark-agent")
}
