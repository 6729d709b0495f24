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

    /// The `waymark-agent` that belongs to the running program: in `../libexec/waymark` of an installation, in the same
    /// folder of a build.
    private static let own: Set<String> = {
        guard let folder = ProgramFolder.path else { return [] }
        var paths: Set<String> = [folder + "waymark-agent"]
        let above = folder.dropLast().lastIndex(of: "/").map { folder[...$0] }
        if let above { paths.insert(above + "libexec/waymark/waymark-agent") }
        return paths
    }()
}
