import GeoJSON
import JSONText
import Testing

@Suite struct FeatureSplitterTests {
    /// The features of a text that arrives in pieces of this size, and the text that is a feature itself.
    private func split(_ text: String, piece: Int = 1_000) throws -> (features: [String], whole: String?) {
        var splitter = FeatureSplitter()
        var features: [String] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: piece) {
            features += try splitter.append(bytes[start..<min(start + piece, bytes.count)])
                .map { String(decoding: $0, as: UTF8.self) }
        }
        return (features, try splitter.finish().map { String(decoding: $0, as: UTF8.self) })
    }

    @Test(arguments: [1, 2, 7, 1_000])
    func `features are divided at commas of the array alone, whatever the pieces are`(piece: Int) throws {
        let text = #"""
            {"name":"a \"features\": [", "crs":{"features":[1]},
             "features" : [ {"a":[1,2,"]}, \\"]} , {"b":{}} ], "type":"FeatureCollection"}
            """#
        let (features, whole) = try split(text, piece: piece)
        #expect(features == [#" {"a":[1,2,"]}, \\"]} "#, #" {"b":{}} "#])
        #expect(whole == nil)
    }

    @Test func `an empty collection has no features`() throws {
        #expect(try split(#"{"type":"FeatureCollection","features":[ ]}"#).features.isEmpty)
    }

    @Test func `a text that is no collection is returned whole, without a byte order mark`() throws {
        let text = #"{"type":"Point","coordinates":[1,2]}"#
        #expect(try split("\u{FEFF}" + text, piece: 2).whole == text)
    }

    @Test(
        arguments: [
            (#"{"type":"FeatureCollection"}"#, .featuresMissing),
            (#"{"type":"FeatureCollection","features":{}}"#, .featuresMissing),
            (#"{"type":"FeatureCollection","features":[],"features":[]}"#, .featuresMissing),
            (#"{"type":"Feature","features":[]}"#, .notGeoJSON),
        ] as [(String, GeoJSONError.Reason)])
    func `a collection has one array of features`(text: String, reason: GeoJSONError.Reason) {
        #expect(throws: GeoJSONError(reason)) { try split(text) }
    }

    @Test(
        arguments: [
            #"{"type":"FeatureCollection","features":[{},]}"#, #"{"type":"FeatureCollection","features":[,{}]}"#,
            #"{"type":"FeatureCollection","features":[{}"#, #"{"type":"FeatureCollection" "features":[]}"#,
            #"{"type":"FeatureCollection","features":[}]"#, #"{"type":"FeatureCollection","features":[]}}"#, "", "[]",
            #"{"features"[{}],"type":"FeatureCollection"}"#,
        ])
    func `the text around the features is JSON`(text: String) {
        let error = #expect(throws: GeoJSONError.self) { try split(text) }
        var isJSONError = false
        if case .json = error?.reason { isJSONError = true }
        #expect(isJSONError, "\(error?.description ?? "")")
    }

    @Test func `the memory for a feature is limited`() throws {
        var splitter = FeatureSplitter()
        _ = try splitter.append(Array(#"{"features":[{"a":""#.utf8))
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        #expect(throws: GeoJSONError(.tooLong, feature: 1)) {
            for _ in 0..<17 { _ = try splitter.append(piece) }
        }
    }
}
