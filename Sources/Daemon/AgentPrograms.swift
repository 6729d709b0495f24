import Configuration
import Glibc

/// The programs that may show a user the questions of apps.
struct AgentPrograms: Equatable, Sendable {
    /// Their absolute paths.
    let paths: Set<String>

    /// Those that the configuration names.
    init(_ names: [String]) {
        paths = Set(names.compactMap { $0 == AgentPath.own ? Self.own : $0 })
    }

    /// The `waymark` beside the program that runs, /proc/self/exe of proc(5).
    private static let own: String? = {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &path, path.count)
        guard count > 0, count < path.count else { return nil }
        let text = String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard let slash = text.lastIndex(of: "/") else { return nil }
        return String(text[...slash]) + "waymark"
    }()
}
