import Platform

/// The settings as files and command line have them, and what is wrong with the files.
///
/// The form is that of systemd's own files: `[Section]`, `Key=Value`, comments on lines of their own that begin with
/// `#` or `;`. White space around names and values is ignored, names are case-sensitive, an empty value brings the
/// default back. `FILE.d/*.conf` are read after `FILE`, in the order of their names; what is read later wins.
public struct Configuration: Sendable {
    /// The main file where nobody names another.
    public static let defaultFile = "/etc/waymark/waymark.conf"

    private var reading = SettingReading<Settings>()

    /// The values that hold; where there are problems, those that could be read.
    public var settings: Settings { reading.values }
    /// The files that were read, in their order.
    public var files: [String] { reading.files }
    /// Everything that is wrong, by file in the order of reading and by line; the settings are to be used only where
    /// this is empty.
    public var problems: [ConfigurationProblem] { reading.problems }

    private init() {}

    /// Reads the main file and its drop-ins, then lets the command line win.
    ///
    /// That there is no main file is a problem only where it was named explicitly.
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

    /// Reads one file that is in memory already, under a name for the messages.
    public init(reading bytes: [UInt8], as path: String) {
        reading.read(ConfigurationFile(path: path, bytes: bytes))
    }

    /// Where the value of a setting is from: `source(of: \.journal.stateDirectory)`.
    public func source(of keyPath: PartialKeyPath<Settings>) -> SettingSource { reading.source(of: keyPath) }

    mutating func override<Value>(_ keyPath: WritableKeyPath<Settings, Value>, with value: Value?) {
        guard let value else { return }
        reading.override(keyPath, with: value)
    }
}
