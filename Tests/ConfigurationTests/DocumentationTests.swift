import Configuration
import Glibc
import Platform
import Testing

@Suite struct DocumentationTests {
    @Test func `the page about the configuration has the table of settings as it is`() throws {
        // This file is Tests/ConfigurationTests/DocumentationTests.swift.
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let path = "/\(root)/Documentation/configuration.md"
        let file = try OwnedDescriptor("open", subject: path) { open(path, O_RDONLY | O_CLOEXEC) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = try retrying("read", subject: path) { read(file.number, &bytes, bytes.count) }
        let page = String(decoding: bytes.prefix(count), as: UTF8.self)
        #expect(page.contains(Configuration.markdownTable), "put this in: \n\(Configuration.markdownTable)")
    }
}
