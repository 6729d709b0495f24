/// The source of a setting's value.
public enum SettingSource: Equatable, Sendable {
    /// The default.
    case builtIn
    /// The last file with the setting, and its line.
    case file(String, line: Int)
    /// An option of the command line.
    case commandLine
}

/// The values from some files, their sources, and the errors in the files.
public struct SettingReading<Values: SettingValues>: Sendable {
    /// The values in force; where there are problems, those that could be read.
    public private(set) var values = Values()
    /// The files that were read, in their order.
    public private(set) var files: [String] = []
    /// All errors, by file in the order of reading and by line; the values must be used only where this is empty.
    public private(set) var problems: [ConfigurationProblem] = []

    private var sources: [String: SettingSource] = [:]

    /// The defaults, before any file was read.
    public init() {}

    /// The source of a setting's value.
    public func source(of keyPath: PartialKeyPath<Values>) -> SettingSource {
        Values.table.row(at: keyPath).flatMap { sources[$0.name] } ?? .builtIn
    }

    /// Reads a further file, whose values override earlier ones. The advice says how to write a file that is missing.
    public mutating func read(_ path: String, mayBeMissing: Bool, advice: String? = nil) {
        do {
            if let file = try ConfigurationFile(reading: path) {
                read(file)
            } else if !mayBeMissing {
                problems.append(
                    ConfigurationProblem(file: path, "there is no such file" + (advice.map { ". \($0)" } ?? "")))
            }
        } catch {
            problems.append(error)
        }
    }

    /// Reads a file from memory; the name is for messages.
    public mutating func read(_ bytes: [UInt8], as path: String) {
        read(ConfigurationFile(path: path, bytes: bytes))
    }

    /// Reports an error in a setting that its own row cannot detect, at the line that has set it.
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
