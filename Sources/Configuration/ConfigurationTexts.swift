extension Configuration {
    /// A file with every setting and its default, each in a comment: a copy changes nothing until it is edited.
    public static let exampleFile = Settings.table.exampleFile([
        "Settings of waymarkd. Every default works: a setting that stays a comment has the value it shows.",
        "",
        "Comments have lines of their own. Files in waymark.conf.d/*.conf beside this one are read after it, in",
        "the order of their names; a later value overrides an earlier one. An empty value restores the default.",
        "`waymark config check` lists errors; `systemctl reload waymark` applies changes, except for",
        "settings that need a restart.",
    ])

    /// The table of the settings in Markdown, for the documentation.
    public static let markdownTable = Settings.table.markdown
}
