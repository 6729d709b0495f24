import TestSupport

/// The engines over which the rules are tested.
enum EngineKind: CaseIterable, Sendable {
    /// Tables in memory.
    case memory
    /// A file of SQLite.
    case sqlite
    /// A database of PostgreSQL.
    case postgresql

    /// Those that this machine has.
    static let allCases: [EngineKind] =
        PostgreSQLServer.isInstalled ? [.memory, .sqlite, .postgresql] : [.memory, .sqlite]
}
