import Platform

/// The settings as files and command line have them, and what is wrong with the files.
///
/// The form is that of systemd's own files: `[Section]`, `Key=Value`, comments on lines of their own that begin with
/// `#` or `;`. White space around names and values is ignored, names are case-sensitive, an empty value brings the
/// default back. `FILE.d/*.conf` are read after `FILE`, in the order of their names; what is read later wins.
public struct Configuration: Sendable {
    /// The main file where nobody names another.
    public static let defaultFile = "/etc/waymark/waymark.conf"

    /// Where the value of a setting is from.
    public enum Source: Equatable, Sendable {
        /// Nobody has set it: the default.
        case builtIn
        /// The last file that has it, and the line there.
        case file(String, line: Int)
        /// A flag.
        case commandLine
    }

    /// The values that hold; where there are problems, those that could be read.
    public private(set) var settings = Settings()
    /// The files that were read, in their order.
    public private(set) var files: [String] = []
    /// Everything that is wrong, by file in the order of reading and by line; the settings are to be used only where
    /// this is empty.
    public private(set) var problems: [ConfigurationProblem] = []

    private var sources: [String: Source] = [:]

    private init() {}

    /// Reads the main file and its drop-ins, then lets the command line win.
    ///
    /// That there is no main file is a problem only where it was named explicitly.
    public static func load(
        mainFile: String = defaultFile, isExplicit: Bool = false, overrides: Overrides = Overrides()
    ) -> Configuration {
        var configuration = Configuration()
        configuration.read(mainFile, mayBeMissing: !isExplicit)
        do {
            for file in try DropInFolder(beside: mainFile).files() { configuration.read(file, mayBeMissing: false) }
        } catch {
            configuration.problems.append(error)
        }
        overrides.apply(to: &configuration)
        return configuration
    }

    /// Reads one file that is in memory already, under a name for the messages.
    public init(reading bytes: [UInt8], as path: String) {
        read(ConfigurationFile(path: path, bytes: bytes))
    }

    /// Where the value of a setting is from: `source(of: \.journal.stateDirectory)`.
    public func source(of keyPath: PartialKeyPath<Settings>) -> Source {
        Setting.at(keyPath).flatMap { sources[$0.name] } ?? .builtIn
    }

    mutating func override<Value>(_ keyPath: WritableKeyPath<Settings, Value>, with value: Value?) {
        guard let value else { return }
        settings[keyPath: keyPath] = value
        if let setting = Setting.at(keyPath) { sources[setting.name] = .commandLine }
    }

    private mutating func read(_ path: String, mayBeMissing: Bool) {
        do {
            if let file = try ConfigurationFile(reading: path) {
                read(file)
            } else if !mayBeMissing {
                problems.append(ConfigurationProblem(file: path, "there is no such file"))
            }
        } catch {
            problems.append(error)
        }
    }

    private mutating func read(_ file: ConfigurationFile) {
        files.append(file.path)
        if let problem = file.problem { return problems.append(problem) }
        var reading = FileReading(of: file.path, settings: settings)
        INIScanner.scan(file.bytes) { line, statement in reading.take(statement, line: line) }
        settings = reading.settings
        sources.merge(reading.sources) { $1 }
        problems += reading.problems
    }
}
