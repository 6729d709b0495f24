import Configuration
import Platform
import TestSupport
import Testing

@Suite struct DocumentationTests {
    @Test func `the page about the configuration has the present table of settings`() throws {
        let page = String(
            decoding: try BoundedFile.bytes(of: Products.file("Documentation/configuration.md"), limit: 1 << 16),
            as: UTF8.self)
        #expect(page.contains(Configuration.markdownTable), "put this in: \n\(Configuration.markdownTable)")
    }
}
