import Platform
import TestSupport
import TestTraits
import Testing

/// `waymark.h`, the version script and the library agree.
@Suite(.waits) struct HeaderTests {
    /// The functions that the header declares.
    private func declared() throws -> Set<String> {
        let header = try String(
            decoding: BoundedFile.bytes(of: Products.file("Sources/CWaymark/waymark.h"), limit: 1 << 20), as: UTF8.self)
        let names = header.split(separator: "\n").filter { $0.hasPrefix("WAYMARK_API ") }.compactMap { line in
            line.prefix { $0 != "(" }.split { " *".contains($0) }.last.map(String.init)
        }
        return Set(names)
    }

    @Test func `the library exports the functions of the header, with their version, and nothing else`() throws {
        let run = try CompletedProcess.run(
            "/usr/bin/nm", ["--dynamic", "--defined-only", try CompiledProgram.library()], seconds: 60)
        #expect(run.status.isSuccess, "\(run.error)")
        let exported = run.output.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) }
        let declared = try declared()
        #expect(declared.count >= 50)
        #expect(Set(exported) == Set(declared.map { "\($0)@@WAYMARK_1" }))
    }

    @Test func `the version script lists the functions of the header`() throws {
        let file = try Products.file("Sources/CWaymark/libwaymark.map")
        let script = String(decoding: try BoundedFile.bytes(of: file, limit: 1 << 20), as: UTF8.self)
        let listed = script.split(separator: "\n").filter { $0.hasPrefix("        waymark_") }
            .map { String($0.dropFirst(8).dropLast()) }
        let declared = try declared()
        #expect(listed.sorted() == listed && Set(listed) == declared)
    }

    @Test(
        arguments: [
            ("gcc", "c", "c99"), ("gcc", "c", "c17"), ("clang", "c", "c99"), ("g++", "c++", "c++11"),
            ("g++", "c++", "c++20"), ("clang++", "c++", "c++11"),
        ])
    func `a compiler accepts the header without a warning`(_ compiler: String, language: String, standard: String)
        throws
    {
        // Also the macros, which are compiled only where they are used.
        let use = """
            #include <waymark.h>
            int main(void);
            int main(void)
            {
                waymark_monitor_options monitor = WAYMARK_MONITOR_OPTIONS_INIT;
                waymark_position_options position = WAYMARK_POSITION_OPTIONS_INIT;
                waymark_region region = WAYMARK_REGION_INIT;
                return monitor.size + position.size + region.size == 0;
            }

            """
        let run = try CompletedProcess.run(
            "/usr/bin/env",
            [
                compiler, "-x", language, "-std=\(standard)", "-Wall", "-Wextra", "-Werror", "-pedantic",
                "-Wconversion", "-Wshadow", "-I", try Products.file("Sources/CWaymark"), "-fsyntax-only", "-",
            ], input: use, seconds: 60)
        #expect(run.status.isSuccess, "\(run.error)")
    }
}
