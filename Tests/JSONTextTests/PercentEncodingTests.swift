import JSONText
import Testing

@Suite struct PercentEncodingTests {
    @Test func `everything but the unreserved characters is encoded`() {
        var bytes: [UInt8] = []
        PercentEncoding.append("Az09-._~ +/é", to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "Az09-._~%20%2B%2F%C3%A9")
    }

    @Test(arguments: [("a/b", "a%2Fb"), ("a.b", "a.b"), (".", "%2E"), ("..", "%2E%2E"), ("...", "%2E%2E%2E"), ("", "")])
    func `a segment of a path is no other place`(text: String, segment: String) {
        #expect(PercentEncoding.segment(text) == segment)
    }
}
