import Interfaces

/// The apps that hold a background activity session, for an indicator.
struct Holders: Equatable {
    /// Each app once, by the name of its manifest.
    private(set) var apps: [AgentMessage.Hold] = []

    /// More than this many are not told apart from fewer.
    static let most = 64

    /// Takes over which there are now, and returns those that are new.
    mutating func update(_ holds: [AgentMessage.Hold]) -> [AgentMessage.Hold] {
        let before = Set(apps.map(\.app))
        var seen: Set<String> = []
        apps = Array(holds.filter { seen.insert($0.app).inserted }.prefix(Self.most))
        return apps.filter { !before.contains($0.app) }
    }
}
