@testable import Configuration

/// The part of a manual page about a file's settings, generated from the table of the parser.
struct SettingManual<Values: SettingValues> {
    let table: SettingTable<Values>

    /// The sections with their settings.
    var sections: [String] {
        table.sections.flatMap { section in
            [".Ss Section \(section)", ".Bl -tag -width Ds"]
                + table.rows.filter { $0.section == section }.flatMap { setting($0) } + [".El"]
        }
    }

    private func setting(_ setting: Setting<Values>) -> [String] {
        let text = setting.defaultText
        let fallback = text.isEmpty ? "Not set by default." : "Default: `\(text)`."
        return [".It Cm \(setting.key) Ns ="] + Mdoc.prose(setting.documentation)
            + Mdoc.prose("Allowed: \(setting.allowed).") + Mdoc.prose(fallback)
            + (setting.takesEffect == .atRestart ? Mdoc.prose("A change needs a restart.") : [])
    }
}
