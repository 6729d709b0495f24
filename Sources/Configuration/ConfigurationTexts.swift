extension Configuration {
    /// A file with every setting and its default, each in a comment: a copy changes nothing until it is edited.
    public static let exampleFile: String = {
        var lines = [
            "# Settings of waymarkd. Every default works: a setting that stays a comment has the value it shows.",
            "#",
            "# Comments stand on lines of their own. Files in waymark.conf.d/*.conf beside this one are read after it, in",
            "# the order of their names; what is read later wins. An empty value brings the default back.",
            "# `waymark config check` tells what is wrong; `systemctl reload waymarkd` applies what has changed, but for",
            "# what is marked as needing a restart.",
        ]
        for section in Setting.sections {
            lines += ["", "[\(section)]"]
            for setting in Setting.all where setting.section == section {
                let restart = setting.takesEffect == .atRestart ? " Needs a restart." : ""
                lines += ["", "# \(setting.documentation)", "# Allowed: \(setting.allowed).\(restart)"]
                lines += ["#\(setting.key)=\(setting.defaultText)"]
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }()

    /// The settings as a table in Markdown, for the documentation.
    public static let markdownTable: String = {
        var lines = ["| setting | default | allowed | changed by | what it is |", "| --- | --- | --- | --- | --- |"]
        for setting in Setting.all {
            let change = setting.takesEffect == .atRestart ? "restart" : "reload"
            let value = setting.defaultText.isEmpty ? "" : "`\(setting.defaultText)` "
            lines.append(
                "| `[\(setting.section)] \(setting.key)=` | \(value)| \(setting.allowed) "
                    + "| \(change) | \(setting.documentation) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }()
}
