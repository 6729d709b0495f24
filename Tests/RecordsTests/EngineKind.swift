/// The engines over which the rules are tested.
enum EngineKind: CaseIterable, Sendable {
    /// Tables in memory.
    case memory
    /// A file of SQLite.
    case sqlite
}
