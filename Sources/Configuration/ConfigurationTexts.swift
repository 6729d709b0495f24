extension Configuration {
    /// A file with every setting and its default, each in a comment: a copy changes nothing until it is edited.
    public static let exampleFile = Settings.table.exampleFile([
        "Settings of waymarkd. Every default works: a setting that stays a comment has the value it shows.",
        "",
        "Comments stand on lines of their own. Files in waymark.conf.d/*.conf beside this one are read after it, in",
        "the order of their names; what is read later wins. An empty value brings the default back.",
        "`waymark config check` tells what is wrong; `systemctl reload waymark` applies what has changed, but for",
        "what is marked as needing a restart.",
    ])

    /// The settings as a table in Markdown, for the documentation.
    public static let markdownTable = Settings.table.markdown
}
