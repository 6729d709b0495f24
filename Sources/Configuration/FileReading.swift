import Platform

/// The settings in one file, checked against the table of settings.
struct FileReading<Values: SettingValues> {
    /// The limit of listed problems, because a file that is no configuration has an error in every line.
    static var maximumProblems: Int { 100 }

    private let path: String
    private(set) var values: Values
    private(set) var sources: [String: SettingSource] = [:]
    private var found: [ConfigurationProblem] = []
    private var unlisted = 0
    /// The line of each setting in the file.
    private var lines: [String: Int] = [:]

    init(of path: String, values: Values) {
        self.path = path
        self.values = values
    }

    /// The errors by line; beyond the limit they are only counted.
    var problems: [ConfigurationProblem] {
        guard unlisted > 0 else { return found }
        return found + [ConfigurationProblem(file: path, "\(unlisted) more problems in this file are not listed")]
    }

    mutating func apply(_ statement: INIStatement, line: Int) {
        switch statement {
        case .malformed(let complaint): report(line, nil, nil, complaint)
        case .section(let name): applySection(name, line: line)
        case .setting(let section, let key, let value):
            if section.isEmpty {
                report(line, nil, key, "is before the first [SECTION]. \(Self.place(of: key) ?? Self.everySection)")
            } else if Values.table.sections.contains(section) {
                applyValue(value, of: key, in: section, line: line)
            }
        // The settings of an unknown section are ignored: the section was reported at its own line.
        }
    }

    private mutating func applySection(_ name: String, line: Int) {
        guard !Values.table.sections.contains(name) else { return }
        report(line, name, nil, "unknown section. \(Self.hint(for: name))")
    }

    private mutating func applyValue(_ value: String, of key: String, in section: String, line: Int) {
        guard let setting = Values.table.row(of: key, in: section) else {
            return report(line, section, key, "unknown setting. \(Self.hint(for: key, in: section))")
        }
        if let first = lines[setting.name] {
            return report(line, section, key, "is set for the second time: it was in line \(first). Remove one")
        }
        lines[setting.name] = line
        guard !value.isEmpty else {
            setting.reset(&values)
            sources[setting.name] = .builtIn
            return
        }
        do {
            try setting.set(value, &values)
            sources[setting.name] = .file(path, line: line)
        } catch {
            let hint = error.suggestion.map { "Did you mean \($0)? " } ?? ""
            let quoted = error.hidesText ? "the value" : ConfigurationProblem.quoted(value)
            report(line, section, key, "\(quoted) \(error.description). \(hint)Allowed: \(setting.allowed)")
        }
    }

    private static var everySection: String {
        "The sections are \(Values.table.sections.map { "[\($0)]" }.joined(separator: ", "))"
    }

    private static func hint(for section: String) -> String {
        Spelling.nearest(to: section, among: Values.table.sections).map { "Did you mean [\($0)]?" } ?? everySection
    }

    private static func hint(for key: String, in section: String) -> String {
        if let place = place(of: key) { return place }
        let keys = Values.table.rows.filter { $0.section == section }.map(\.key)
        if let nearest = Spelling.nearest(to: key, among: keys) { return "Did you mean \(nearest)?" }
        return "[\(section)] has \(keys.joined(separator: ", "))"
    }

    private static func place(of key: String) -> String? {
        Values.table.rows.first { $0.key == key }.map { "It belongs into [\($0.section)]" }
    }

    private mutating func report(_ line: Int, _ section: String?, _ key: String?, _ message: @autoclosure () -> String)
    {
        guard found.count < Self.maximumProblems else { return unlisted += 1 }
        found.append(ConfigurationProblem(file: path, line: line, section: section, key: key, message()))
    }
}
