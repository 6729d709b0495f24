import Location
import RecordScript
import TestSupport
import Testing

@testable import Records

/// The keys of an index, and the forms of queries.
@Suite struct IndexKeyTests {
    @Test func `keys of numbers have the order of the numbers`() throws {
        let integers: [Int64] = [.min, -300, -1, 0, 1, 255, 256, .max]
        #expect(integers.compactMap { IndexKey(.integer($0)) }.isSorted)
        #expect(integers.compactMap { IndexKey(.date(UTCTime(microseconds: $0))) }.isSorted)
        let doubles = [
            -Double.greatestFiniteMagnitude, -1, -.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude, 0.5, 1e300,
        ]
        #expect(doubles.compactMap { FiniteDouble($0) }.compactMap { IndexKey(.double($0)) }.isSorted)
        let zeros = [0.0, -0.0].compactMap { FiniteDouble($0) }.compactMap { IndexKey(.double($0)) }
        #expect(zeros.count == 2 && zeros[0] == zeros[1])
        #expect(["", "a", "a\u{0}", "ab", "b", "é"].compactMap { IndexKey(.string($0)) }.isSorted)
    }

    @Test func `every point within a circle is in its cells, and few others are`() throws {
        var random = SeededGenerator()
        var outside = 0
        for _ in 0..<1_000 {
            let latitudes: [Double] = [.random(in: -90...90, using: &random), 89.999, -90]
            let longitudes: [Double] = [.random(in: -180...180, using: &random), 180, -180]
            let radii: [Double] = [0, 1, 300, 50_000, 4_000_000, 12_000_000, 3e7]
            let place = Coordinate(
                clampedLatitude: latitudes.randomElement(using: &random) ?? 0,
                clampedLongitude: longitudes.randomElement(using: &random) ?? 0)
            let radius = radii.randomElement(using: &random) ?? 0
            let ranges = PlaceCell.numbers(within: radius, of: place)
            #expect(ranges.count <= 16 && ranges == ranges.joined)
            for _ in 0..<20 {
                let step: Double = radius / 111_000 + 0.001
                let near: Double = place.longitude + Double.random(in: -step...step, using: &random)
                let any = Double.random(in: -180...180, using: &random)
                let point = Coordinate(
                    clampedLatitude: place.latitude + Double.random(in: -step...step, using: &random),
                    clampedLongitude: Bool.random(using: &random) ? any : near)
                let isFound = ranges.contains(try #require(IndexKey(.location(StoredPlace(point)))))
                if point.distance(to: place) <= radius {
                    #expect(isFound, "\(radius) m: \(place.latitude) \(place.longitude)")
                } else if !isFound {
                    outside += 1
                }
            }
        }
        #expect(outside > 3_000)
    }

    @Test func `words are letters, digits and marks in lower case`() {
        func words(_ text: String) -> [String] {
            Words.words(of: text).map { String(decoding: $0, as: UTF8.self) }.sorted()
        }
        #expect(words("Milk, BREAD-milk 2½kg") == ["2½kg", "bread", "milk"])
        #expect(words("ÄPFEL straße") == ["straße", "äpfel"])
        #expect(words("東京 don't_e\u{301}t") == ["don", "e\u{301}t", "t", "東京"].sorted())
        #expect(words(" -,. ").isEmpty)
    }

    @Test func `a query with an order and words is written as it was read, and limited`() throws {
        let text =
            #"{"type":"Thing","filter":{"words":"milk bread"},"sort":[{"field":"a"},{"field":"b","descending":true}]}"#
        #expect(String(decoding: try Query(json: Array(text.utf8)).json, as: UTF8.self) == text)
        func refused(_ text: String) { #expect(throws: FormatError.self) { try Query(json: Array(text.utf8)) } }
        refused(#"{"type":"A","sort":[{"field":"a"},{"field":"a"}]}"#)
        refused(#"{"type":"A","sort":[{"field":"a"},{"field":"b"},{"field":"c"},{"field":"d"}]}"#)
        refused(#"{"type":"A","sort":[{"field":"a b"}]}"#)
        refused(#"{"type":"A","sort":{"field":"a"}}"#)
        refused(#"{"type":"A","filter":{"words":" - "}}"#)
        refused(#"{"type":"A","filter":{"words":"\#((0..<21).map { "w\($0)" }.joined(separator: " "))"}}"#)
        refused(#"{"type":"A","filter":{"field":"a","containsWords":{"integer":1}}}"#)
    }

    @Test func `a position is read as it was written, and nothing else is`() throws {
        let position = QueryPosition(
            incarnation: 3, scan: 2, keys: [IndexKey(bytes: [1, 2]), .missing, IndexKey(bytes: [])], name("n1"))
        #expect(QueryPosition(bytes: position.bytes) == position)
        for length in 0..<position.bytes.count - 2 {
            #expect(QueryPosition(bytes: Array(position.bytes.prefix(length))) == nil)
        }
        #expect(QueryPosition(bytes: [UInt8](repeating: 255, count: 600)) == nil)
    }
}

extension [IndexKey] {
    fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}
