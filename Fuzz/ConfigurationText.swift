// Feeds bytes to the parser of configuration files. Compiled together with Sources/Configuration.

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let configuration = Configuration(reading: input, as: "f")
    check(configuration.problems, lineCount: input.split(separator: 10, omittingEmptySubsequences: false).count)

    // If there is no mistake, the settings written back to a file have the same meaning.
    guard configuration.problems.isEmpty else { return 0 }
    let again = Configuration(reading: Array(text(of: configuration.settings).utf8), as: "f")
    precondition(again.problems.isEmpty, "written settings can be read again")
    precondition(again.settings == configuration.settings, "written settings are read with the same values")
    return 0
}

private func check(_ problems: [ConfigurationProblem], lineCount: Int) {
    precondition(problems.count <= FileReading<Settings>.maximumProblems + 1, "the number of problems is limited")
    let lines = problems.compactMap(\.line)
    precondition(lines == lines.sorted(), "problems are in the order of their lines")
    precondition(lines.allSatisfy { (1...lineCount).contains($0) }, "the line of a problem exists in the file")
    for problem in problems {
        let steers = problem.description.unicodeScalars.contains { $0.properties.generalCategory == .control }
        precondition(!steers, "a message contains no control characters for a terminal")
    }
}

private func text(of settings: Settings) -> String {
    Settings.table.sections.map { section in
        let rows = Settings.table.rows.filter { $0.section == section }.map { "\($0.key)=\($0.text(settings))\n" }
        return "[\(section)]\n" + rows.joined()
    }.joined()
}
