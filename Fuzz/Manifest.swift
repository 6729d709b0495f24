// Feeds bytes to the parser of manifests and to the checks of their contents. Compiled together with Sources/Manifests.

import Authorization
import Configuration
import Location

/// libFuzzer's entry. The first byte selects the owner of the manifest.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let owner: FileOwner = first & 1 == 0 ? .root : .user(1_000)
    let bytes = Array(input.dropFirst())
    let lineCount = bytes.split(separator: 10, omittingEmptySubsequences: false).count
    let reading = ManifestReading(bytes, id: "map", path: "f", owner: owner)
    check(reading.problems, lineCount: lineCount)
    let isFlawed = reading.problems.contains { $0.severity == .error }
    precondition((reading.manifest == nil) == isFlawed, "a manifest is valid exactly if it has no error")
    if let manifest = reading.manifest { check(manifest) }
    check(ManifestLint.examine(reading), lineCount: lineCount)
    return 0
}

private func check(_ manifest: ManifestFile) {
    precondition(!manifest.name.text.isEmpty && !manifest.identity.isEmpty, "an app has a name and processes")
    if manifest.owner != .root {
        precondition(!manifest.identity.keys.contains(where: \.isRootsOnly), "only root may use this key")
        precondition(!manifest.isAlwaysInUse, "only root may use this key")
    }
    for (key, value) in manifest.identity {
        guard key == .unit || key == .userUnit else { continue }
        let pattern = UnitPattern(value)
        precondition(pattern.isSpecific && pattern.isBalanced, "a pattern is specific")
        precondition(!pattern.fits("app-gnome-\u{1}-1.scope"), "a pattern does not match an arbitrary unit")
        if pattern.isName {
            precondition(IdentityIndex([manifest]).apps(key, value) == ["map"], "a unit is found by its name")
        }
    }
    if let wake = manifest.wake {
        precondition(!wake.causes.isEmpty && WakeSection.isPlainService(wake.unit), "a wake names events and a service")
        precondition(
            !wake.unit.utf8.contains(where: "/@\\*?[] ".utf8.contains), "a service that is woken is one, and no path")
    }
    let texts = [manifest.name, manifest.whenInUseUsage, manifest.alwaysUsage].compactMap(\.self)
    for text in texts + manifest.temporaryUsages.values + manifest.alertTexts.values {
        for shown in [text.text] + text.translations.values {
            precondition(TranslatedText.objection(to: shown, maximumLetters: 1_000) == nil, "a text can be shown")
        }
        precondition(!text.text.isEmpty, "a text has a version without a language")
    }
    precondition(manifest.temporaryUsages.count <= ManifestReading.maximumPurposes, "no more purposes than allowed")
    _ = manifest.manifest
}

private func check(_ problems: [FileProblem], lineCount: Int) {
    precondition(problems.count <= ManifestReading.maximumProblems + 200, "the number of problems is limited")
    for problem in problems {
        precondition(
            problem.line.map { (1...lineCount).contains($0) } ?? true, "the line of a problem exists in the file")
        let steers = problem.description.unicodeScalars.contains { $0.properties.generalCategory == .control }
        precondition(!steers, "a message contains no control characters for a terminal")
    }
}
