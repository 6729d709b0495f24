import Platform
import TestSupport
import TestTraits
import Testing

/// The demonstration that a newcomer runs first.
@Suite(.waits) struct DemonstrationTests {
    @Test func `make demo-sync shows a note on another machine, also after the hub was unavailable`() throws {
        let waymark = try Products.resolvedProgram("waymark")
        let programs = String(waymark[..<(waymark.lastIndex(of: "/") ?? waymark.startIndex)])
        let shown = try CompletedProcess.run(
            try Products.file("Scripts/demo-sync"), [],
            environment: ["WAYMARK_PROGRAMS": programs, "PATH": "/usr/local/bin:/usr/bin:/bin"], seconds: 180)
        #expect(shown.status == .exited(0), "\(shown.error)")
        let parts = shown.output.split(separator: "\n-- ")
        #expect(parts.count == 4 && parts[1].contains("shopping: milk and bread"), "\(shown.output)")
        #expect(parts.last?.contains("holiday: find the tent") == true, "\(shown.output)")
    }
}
