import Glibc
import Platform
import TestSupport
import Testing

/// Keys are in memory that is locked against swapping, mlock(2), where the filter of the unit permits that: `Secret` works without
/// it as well, so that nothing else would show that it is refused.
@Suite(.enabled(if: access("/usr/bin/systemd-analyze", X_OK) == 0, "it needs systemd-analyze"))
struct LockedMemoryTests {
    /// The calls of a filter's word: of a group, with the groups in it, or of itself.
    private static func calls(_ word: Substring) throws -> Set<String> {
        guard word.hasPrefix("@") else { return [String(word)] }
        let run = try CompletedProcess.run("/usr/bin/systemd-analyze", ["syscall-filter", String(word)])
        try #require(run.status == .exited(0), "\(run.error)")
        let lines = run.output.split(separator: "\n").dropFirst().map { $0.drop { $0 == " " } }
        return try lines.filter { !$0.hasPrefix("#") }.reduce(into: []) { $0.formUnion(try calls($1)) }
    }

    /// The calls that a unit permits: the first line of its filter permits, later ones add and remove.
    private static func permitted(_ unit: String) throws -> Set<String> {
        let bytes = try BoundedFile.bytes(of: Products.file("systemd/\(unit).service"), limit: 1 << 16)
        var permitted: Set<String> = []
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            guard line.hasPrefix("SystemCallFilter=") else { continue }
            let words = line.dropFirst("SystemCallFilter=".count)
            for word in words.drop(while: { $0 == "~" }).split(separator: " ") {
                let named = try calls(word)
                if words.hasPrefix("~") { permitted.subtract(named) } else { permitted.formUnion(named) }
            }
        }
        return permitted
    }

    @Test(arguments: ["waymark", "waymark-sync", "user/waymark-sync"])
    func `a program that has keys may lock them in memory`(unit: String) throws {
        let permitted = try Self.permitted(unit)
        #expect(permitted.isSuperset(of: ["mlock", "munlock", "mmap", "madvise"]))
        #expect(!permitted.contains("ptrace"))
    }
}
