/// The settings of a kind of file: values with defaults, and the table of its keys.
public protocol SettingValues: Equatable, Sendable {
    /// The defaults.
    init()
    /// The definition of each key.
    static var table: SettingTable<Self> { get }
}

/// Every setting of a kind of file, grouped by section, in the order of the documentation. Parser, checks, example file
/// and documentation are made from this table; the defaults are those of `Values()`.
public struct SettingTable<Values: SettingValues>: Sendable {
    let rows: [Setting<Values>]
    /// The sections, in the table's order.
    let sections: [String]

    /// A table of these rows.
    public init(_ rows: [Setting<Values>]) {
        self.rows = rows
        sections = rows.map(\.section).reduce(into: []) { names, name in
            if names.last != name { names.append(name) }
        }
    }

    /// The row of a property of the values.
    func row(at keyPath: PartialKeyPath<Values>) -> Setting<Values>? {
        rows.first { $0.keyPath == keyPath }
    }

    /// The row of a key in a section.
    func row(of key: String, in section: String) -> Setting<Values>? {
        rows.first { $0.section == section && $0.key == key }
    }

    /// A file with every setting and its default, each in a comment, after these lines of introduction: a copy changes
    /// nothing until it is edited.
    public func exampleFile(_ introduction: [String]) -> String {
        var lines = introduction.map { $0.isEmpty ? "#" : "# \($0)" }
        for section in sections {
            lines += ["", "[\(section)]"]
            for setting in rows where setting.section == section {
                let restart = setting.takesEffect == .atRestart ? " Needs a restart." : ""
                lines += ["", "# \(setting.documentation)", "# Allowed: \(setting.allowed).\(restart)"]
                lines += ["#\(setting.key)=\(setting.defaultText)"]
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The settings as a table in Markdown, for the documentation; the column of effects is omitted where a reload
    /// applies all of them.
    public var markdown: String {
        let showsEffects = rows.contains { $0.takesEffect == .atRestart }
        let titles = ["setting", "default", "allowed"] + (showsEffects ? ["changed by"] : []) + ["what it is"]
        var lines = [titles, titles.map { _ in "---" }].map { "| " + $0.joined(separator: " | ") + " |" }
        for setting in rows {
            let change = setting.takesEffect == .atRestart ? "restart" : "reload"
            let value = setting.defaultText.isEmpty ? "" : "`\(setting.defaultText)` "
            lines.append(
                "| `[\(setting.section)] \(setting.key)=` | \(value)| \(setting.allowed) "
                    + (showsEffects ? "| \(change) " : "") + "| \(setting.documentation) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
