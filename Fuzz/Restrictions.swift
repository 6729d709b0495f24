// Feeds bytes to the parser of files of restrictions. Compiled together with that part of Sources/Manifests.

import Authorization
import Configuration

/// libFuzzer's entry. The first byte says where the input is split into two files.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    let cut = min(bytes.count, Int(first) * bytes.count / 255)
    let (one, other) = (Array(bytes[..<cut]), Array(bytes[cut...]))
    let together = rules(one, other)
    for part in [rules(one), rules(other)] {
        precondition(together.forbidden.isSuperset(of: part.forbidden), "no file lifts a restriction of another")
        precondition(together.deniedApps.isSuperset(of: part.deniedApps), "no file lifts a restriction of another")
        precondition(together.deniedUIDs.isSuperset(of: part.deniedUIDs), "no file lifts a restriction of another")
        if let allowed = part.allowedApps {
            precondition(together.allowedApps.map(allowed.isSuperset) == true, "no file lifts a restriction of another")
        }
    }
    let reversed = rules(other, one)
    precondition(
        reversed.forbidden == together.forbidden && reversed.allowedApps == together.allowedApps,
        "the order of files changes nothing")
    precondition(together.forbiddenByProblems.isEmpty == together.problems.isEmpty, "an entry with a mistake forbids")
    precondition(together.forbidden.isSuperset(of: together.forbiddenByProblems), "an entry with a mistake forbids")
    precondition(together.problems.count <= 100, "the number of problems is limited")
    for problem in together.problems {
        let steers = problem.description.unicodeScalars.contains { $0.properties.generalCategory == .control }
        precondition(!steers, "a message contains no control characters for a terminal")
    }
    _ = together.restrictions
    return 0
}

private func rules(_ files: [UInt8]...) -> RestrictionRules {
    files.reduce(into: RestrictionRules()) { $0.apply($1, path: "f") }
}
