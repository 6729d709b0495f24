import Interfaces

/// The apps with a background activity session, for an indicator.
struct Holders: Equatable {
    /// Each app once, by the name of its manifest.
    private(set) var apps: [AgentMessage.Hold] = []

    /// The limit of listed apps; further apps are ignored.
    static let most = 64

    /// Records the current sessions, and returns the new apps.
    mutating func update(_ holds: [AgentMessage.Hold]) -> [AgentMessage.Hold] {
        let before = Set(apps.map(\.app))
        var seen: Set<String> = []
        apps = Array(holds.filter { seen.insert($0.app).inserted }.prefix(Self.most))
        return apps.filter { !before.contains($0.app) }
    }
}
