// Feeds bytes to what reads configuration files. Compiled together with Sources/Configuration.

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let configuration = Configuration(reading: input, as: "f")
    check(configuration.problems, lineCount: input.split(separator: 10, omittingEmptySubsequences: false).count)

    // Where nothing is wrong, a file of what was read means the same.
    guard configuration.problems.isEmpty else { return 0 }
    let again = Configuration(reading: Array(text(of: configuration.settings).utf8), as: "f")
    precondition(again.problems.isEmpty, "what was read is written so that it can be read")
    precondition(again.settings == configuration.settings, "what was read is written so that it reads the same")
    return 0
}

private func check(_ problems: [ConfigurationProblem], lineCount: Int) {
    precondition(problems.count <= FileReading<Settings>.maximumProblems + 1, "no more problems than anybody reads")
    let lines = problems.compactMap(\.line)
    precondition(lines == lines.sorted(), "problems are in the order of their lines")
    precondition(lines.allSatisfy { (1...lineCount).contains($0) }, "a line that is named is in the file")
    for problem in problems {
        let steers = problem.description.unicodeScalars.contains { $0.properties.generalCategory == .control }
        precondition(!steers, "a message steers no terminal")
    }
}

private func text(of settings: Settings) -> String {
    Settings.table.sections.map { section in
        let rows = Settings.table.rows.filter { $0.section == section }.map { "\($0.key)=\($0.text(settings))\n" }
        return "[\(section)]\n" + rows.joined()
    }.joined()
}
