import Location
import Platform
import Regions
import TestSupport

/// A line of Tests/Fixtures/regions/distances.txt: a region, a coordinate, and the distance by geographiclib.
struct Reference {
    let text: String
    let region: Region
    let coordinate: Coordinate
    let metres: Double

    static func all() throws -> [Reference] {
        let bytes = try BoundedFile.bytes(of: Products.fixture("regions/distances.txt"), limit: 1 << 20)
        return try String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { try Reference(String($0)) }
    }

    struct Malformed: Error {
        let text: String
    }

    init(_ text: String) throws {
        self.text = String(text.prefix(80))
        let columns = text.split(separator: "|")
        let parts = (columns.first ?? "").split(separator: ";")
        let head = (parts.first ?? "").split(separator: " ")
        guard columns.count == 3, let kind = head.first, let metres = Double(columns[2]) else {
            throw Malformed(text: text)
        }
        self.metres = metres
        coordinate = try Self.coordinate(columns[1])
        let lines = try parts.dropFirst().map { try $0.split(separator: ",").map(Self.coordinate) }
        let size = head.count > 1 ? Double(head[1]) : nil
        switch (kind, size, lines.first) {
        case ("circle", let radius?, let line?): region = try .circle(line[0], radius: radius)
        case ("corridor", let halfWidth?, let line?): region = try Region(.corridor(line: line, halfWidth: halfWidth))
        case ("polygon", nil, _): region = try Region(.polygon(rings: lines))
        default: throw Malformed(text: text)
        }
    }

    private static func coordinate(_ text: Substring) throws -> Coordinate {
        let numbers = text.split(separator: " ").compactMap { Double($0) }
        guard numbers.count == 2 else { throw Malformed(text: String(text)) }
        return try Region.coordinate(latitude: numbers[0], longitude: numbers[1])
    }
}
