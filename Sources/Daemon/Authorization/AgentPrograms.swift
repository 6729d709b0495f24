import Configuration

/// The programs that may show a user the questions of apps.
struct AgentPrograms: Equatable, Sendable {
    /// Their absolute paths.
    let paths: Set<String>

    /// Those that the configuration names.
    init(_ names: [String]) {
        paths = names.reduce(into: []) { paths, name in
            if name == AgentPath.own { paths.formUnion(Self.own) } else { paths.insert(name) }
        }
    }

    /// The `waymark-agent` that belongs to the program that runs: in `../libexec/waymark` where it is installed, beside it where
    /// it was built.
    private static let own: Set<String> = {
        guard let folder = ProgramFolder.path else { return [] }
        var paths: Set<String> = [folder + "waymark-agent"]
        let above = folder.dropLast().lastIndex(of: "/").map { folder[...$0] }
        if let above { paths.insert(above + "libexec/waymark/waymark-agent") }
        return paths
    }()
}
