import InterfaceGenerator
import SyncInterface
import TestSupport
import Testing

@Suite struct GeneratedInterfaceTests {
    @Test func `the generated types of the interface match its text`() throws {
        let file = try GeneratedText("Sources/SyncInterface/Generated/SyncInterface.swift")
        #expect(file.text == (try InterfaceGenerator(SyncInterface.text).text()), "run `make interfaces`")
    }
}
