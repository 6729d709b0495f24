/// Where the value of a setting is from.
public enum SettingSource: Equatable, Sendable {
    /// Nobody has set it: the default.
    case builtIn
    /// The last file that has it, and the line there.
    case file(String, line: Int)
    /// A flag.
    case commandLine
}

/// What some files have set, where each value is from, and what is wrong with the files.
public struct SettingReading<Values: SettingValues>: Sendable {
    /// The values that hold; where there are problems, those that could be read.
    public private(set) var values = Values()
    /// The files that were read, in their order.
    public private(set) var files: [String] = []
    /// Everything that is wrong, by file in the order of reading and by line; the values are to be used only where this is
    /// empty.
    public private(set) var problems: [ConfigurationProblem] = []

    private var sources: [String: SettingSource] = [:]

    /// Nothing read yet: the defaults.
    public init() {}

    /// Where the value of a setting is from.
    public func source(of keyPath: PartialKeyPath<Values>) -> SettingSource {
        Values.table.row(at: keyPath).flatMap { sources[$0.name] } ?? .builtIn
    }

    /// Reads a file after those before it; what is read later wins.
    public mutating func read(_ path: String, mayBeMissing: Bool) {
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

    /// Reads a file that is in memory already, under a name for the messages.
    public mutating func read(_ bytes: [UInt8], as path: String) {
        read(ConfigurationFile(path: path, bytes: bytes))
    }

    /// Something is wrong with a setting beyond what its own row can tell; it is told at the line that has set it.
    public mutating func object(to key: String, in section: String, _ message: String) {
        switch sources["\(section).\(key)"] {
        case .file(let path, let line):
            problems.append(
                ConfigurationProblem(file: path, line: line, section: section, key: key, message))
        case .builtIn, .commandLine, nil:
            problems.append(ConfigurationProblem(file: files.last ?? "", section: section, key: key, message))
        }
    }

    mutating func add(_ problem: ConfigurationProblem) { problems.append(problem) }

    mutating func override<Value>(_ keyPath: WritableKeyPath<Values, Value>, with value: Value) {
        values[keyPath: keyPath] = value
        if let setting = Values.table.row(at: keyPath) { sources[setting.name] = .commandLine }
    }

    mutating func read(_ file: ConfigurationFile) {
        files.append(file.path)
        if let problem = file.problem { return problems.append(problem) }
        var reading = FileReading(of: file.path, values: values)
        INIScanner.scan(file.bytes) { line, statement in reading.apply(statement, line: line) }
        values = reading.values
        sources.merge(reading.sources) { $1 }
        problems += reading.problems
    }
}
