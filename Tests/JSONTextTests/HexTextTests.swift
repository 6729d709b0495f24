import JSONText
import Testing

/// Bytes as hexadecimal digits.
struct HexTextTests {
    @Test func `the digits of all bytes are read as these bytes`() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = HexText.text(bytes)
        #expect(text.hasPrefix("000102"))
        #expect(text.hasSuffix("fdfeff"))
        #expect(HexText.bytes(of: text) == bytes)
        #expect(HexText.bytes(of: "") == [])
        #expect(HexText.bytes(of: "token 0aff".utf8.dropFirst(6)) == [10, 255])
    }

    @Test(arguments: ["0", "0aF0", "0g", "0 ", " 0a", "0a\n", "é", "0x0a", "a:", "a/", "`a", "0\u{0}", "٠٠"])
    func `anything else is no digits`(text: String) { #expect(HexText.bytes(of: text) == nil) }
}
