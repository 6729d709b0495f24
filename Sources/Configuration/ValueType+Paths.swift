/// Words that `Agents=` allows beside paths.
public enum AgentPath {
    /// The `waymark-agent` beside the running daemon, or in `../libexec/waymark`.
    public static let own = "own"
}

extension ValueType where Value == [String] {
    private static let mostPaths = 16

    /// A list of absolute paths of folders or files.
    static var absolutePaths: Self {
        paths(allowed: "up to \(mostPaths) paths that begin with /, with spaces between", words: [])
    }

    /// A list of programs, or the word for the daemon's own.
    static var agentPaths: Self {
        paths(
            allowed: "\(AgentPath.own), or up to \(mostPaths) paths that begin with /, with spaces between",
            words: [AgentPath.own])
    }

    private static func paths(allowed: String, words: Set<String>) -> Self {
        let path = ValueType<String>.absolutePath
        return Self(
            allowed: allowed,
            parse: { text throws(ValueError) in
                let items = text.split { $0 == " " || $0 == "\t" }.map(String.init)
                guard items.count <= mostPaths else { throw ValueError("names too many") }
                var paths: [String] = []
                for item in items { paths.append(words.contains(item) ? item : try path.parse(item)) }
                return paths
            },
            text: { $0.joined(separator: " ") })
    }
}
