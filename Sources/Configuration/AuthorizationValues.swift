/// The words of `PersonalManifests=`: who decides for the apps of users' own manifests.
public enum PersonalManifestsMode: String, CaseIterable, Sendable {
    /// The user, by an agent, while present at the machine; otherwise an operator.
    case present
    /// An operator.
    case askOperator = "ask-operator"
    /// None: such manifests are ignored.
    case no
}

/// Words that `Agents=` allows beside paths.
public enum AgentPath {
    /// The `waymark-agent` that belongs to the running daemon.
    public static let own = "own"
}

extension ValueType where Value == [String] {
    private static let most = 16

    /// A list of absolute paths of folders or files.
    static var absolutePaths: Self {
        paths(allowed: "up to \(most) paths that begin with /, with spaces between", words: [])
    }

    /// A list of programs, or the word for the daemon's own.
    static var agentPaths: Self {
        paths(
            allowed: "\(AgentPath.own), or up to \(most) paths that begin with /, with spaces between",
            words: [AgentPath.own])
    }

    private static func paths(allowed: String, words: Set<String>) -> Self {
        let path = ValueType<String>.absolutePath
        return Self(
            allowed: allowed,
            parse: { text throws(ValueError) in
                let items = text.split { $0 == " " || $0 == "\t" }.map(String.init)
                guard items.count <= most else { throw ValueError("names too many") }
                var paths: [String] = []
                for item in items { paths.append(words.contains(item) ? item : try path.parse(item)) }
                return paths
            },
            text: { $0.joined(separator: " ") })
    }
}
