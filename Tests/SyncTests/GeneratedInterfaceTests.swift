import InterfaceGenerator
import Platform
import SyncInterface
import Testing

@Suite struct GeneratedInterfaceTests {
    @Test func `the generated types of the interface match its text`() throws {
        let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(
            separator: "/")
        let file = folder + "/Sources/SyncInterface/Generated/SyncInterface.swift"
        let text = String(decoding: try BoundedFile.bytes(of: file, limit: 1 << 20), as: UTF8.self)
        let generated = try InterfaceGenerator(SyncInterface.text).text(importing: ["Location", "NetworkPaths"])
        #expect(generated == text, "run `make interfaces`")
    }
}
