import Platform

/// The settings from the files and the command line, and the errors in the files.
///
/// The form is that of systemd's own files: `[Section]`, `Key=Value`, comments on separate lines that begin with `#` or
/// `;`. White space around names and values is ignored, names are case-sensitive, an empty value restores the default.
/// `FILE.d/*.conf` are read after `FILE`, in the order of their names; a later value overrides an earlier one.
public struct Configuration: Sendable {
    /// The default main file.
    public static let defaultFile = "/etc/waymark/waymark.conf"

    private var reading = SettingReading<Settings>()

    /// The values in force; where there are problems, those that could be read.
    public var settings: Settings { reading.values }
    /// The files that were read, in their order.
    public var files: [String] { reading.files }
    /// All errors, by file in the order of reading and by line; the settings must be used only where this is empty.
    public var problems: [ConfigurationProblem] { reading.problems }

    private init() {}

    /// Reads the main file and its drop-ins, then applies the command line.
    ///
    /// A missing main file is an error only where it was named explicitly.
    public static func load(
        mainFile: String = defaultFile, isExplicit: Bool = false, overrides: Overrides = Overrides()
    ) -> Configuration {
        var configuration = Configuration()
        configuration.reading.read(mainFile, mayBeMissing: !isExplicit)
        do {
            for file in try ConfigurationFolder(beside: mainFile).files() {
                configuration.reading.read(file, mayBeMissing: false)
            }
        } catch {
            configuration.reading.add(error)
        }
        overrides.apply(to: &configuration)
        return configuration
    }

    /// Reads one file from memory; the name is for messages.
    public init(reading bytes: [UInt8], as path: String) {
        reading.read(ConfigurationFile(path: path, bytes: bytes))
    }

    /// The source of a setting's value: `source(of: \.journal.stateDirectory)`.
    public func source(of keyPath: PartialKeyPath<Settings>) -> SettingSource { reading.source(of: keyPath) }

    mutating func override<Value>(_ keyPath: WritableKeyPath<Settings, Value>, with value: Value?) {
        guard let value else { return }
        reading.override(keyPath, with: value)
    }
}
