import CommandLineKit
import Glibc
import TestSupport
import Testing

@testable import Commands

@Suite struct ReferenceTests {
    @Test func `the reference is the help of the commands`() throws {
        let path = try Products.file("Documentation/command-line.md")
        let stream = try #require(fopen(path, "r+"))
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        while case let byte = fgetc(stream), byte != EOF { bytes.append(UInt8(byte)) }
        let text = String(decoding: bytes, as: UTF8.self)
        let reference = WaymarkProgram.command.markdownReference
        if getenv("WAYMARK_WRITE_REFERENCE") != nil {
            let introduction = String(text.prefix(upTo: text.firstRange(of: "## waymark")?.lowerBound ?? text.endIndex))
            let whole = Array((introduction + reference).utf8)
            rewind(stream)
            #expect(fwrite(whole, 1, whole.count, stream) == whole.count && fflush(stream) == 0)
            #expect(ftruncate(fileno(stream), whole.count) == 0)
        } else {
            #expect(
                text.hasSuffix("\n\n" + reference),
                "write it again: WAYMARK_WRITE_REFERENCE=1 swift test --filter ReferenceTests")
        }
    }
}
