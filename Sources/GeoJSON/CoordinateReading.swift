import JSONText
import Location
import Regions

/// The coordinates of a geometry, while they are read.
struct CoordinateReading {
    var reader: JSONReader
    /// Why reading was ended.
    private(set) var fault: GeoJSONError.Reason?
    /// The present ring of a polygon, from 0.
    private var ring: Int?
    /// The present point of a ring or line, from 0.
    private var point: Int?
    /// All points of the geometry.
    private var count = 0

    /// The points that a geometry of several parts may have: each part is a region with a limit of its own.
    private static let mostPoints = 1_000_000

    init(reader: JSONReader) { self.reader = reader }

    /// Reads the coordinates of a geometry of one of RFC 7946's types, but a collection.
    mutating func geometry(_ type: String) throws(JSONError) -> GeoJSONFeature.Geometry {
        switch type {
        case "Point": .points([try position()])
        case "MultiPoint": .points(try list { (reading) throws(JSONError) in try reading.position() })
        case "LineString": .lines([try line()])
        case "MultiLineString": .lines(try list { (reading) throws(JSONError) in try reading.line() })
        case "Polygon": .polygons([try rings()])
        default: .polygons(try list { (reading) throws(JSONError) in try reading.rings() })
        }
    }

    private mutating func rings() throws(JSONError) -> [[Coordinate]] {
        ring = 0
        defer { ring = nil }
        return try list { (reading) throws(JSONError) in
            defer { reading.ring = reading.ring.map { $0 + 1 } }
            return try reading.line()
        }
    }

    private mutating func line() throws(JSONError) -> [Coordinate] {
        point = 0
        defer { point = nil }
        return try list { (reading) throws(JSONError) in
            defer { reading.point = reading.point.map { $0 + 1 } }
            return try reading.position()
        }
    }

    /// Reads a position: the longitude, the latitude, and numbers that are ignored.
    private mutating func position() throws(JSONError) -> Coordinate {
        guard reader.kind == .array else { throw fail(.coordinatesMalformed) }
        var numbers: [Double] = []
        var isNumeric = true
        try reader.elements { (reader) throws(JSONError) in
            isNumeric = isNumeric && reader.kind == .number
            if isNumeric, numbers.count < 2 { numbers.append(try reader.number()) } else { try reader.skip() }
        }
        guard isNumeric, numbers.count == 2 else { throw fail(.coordinatesMalformed) }
        count += 1
        guard count <= Self.mostPoints else { throw fail(.region(RegionError(.tooManyPoints))) }
        guard let coordinate = Coordinate(latitude: numbers[1], longitude: numbers[0]) else {
            throw fail(.region(RegionError(.coordinateOutOfRange, ring: ring, point: point)))
        }
        return coordinate
    }

    private mutating func list<Element>(
        _ element: (inout CoordinateReading) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        guard reader.kind == .array else { throw fail(.coordinatesMalformed) }
        var elements: [Element] = []
        // The reader is moved out of the value while its closure changes the rest of it.
        var reading = self
        var moving = reader
        defer {
            self = reading
            reader = moving
        }
        try moving.elements { (reader) throws(JSONError) in
            reading.reader = reader
            defer { reader = reading.reader }
            elements.append(try element(&reading))
        }
        return elements
    }

    /// Stores the reason; the error only ends the reading.
    private mutating func fail(_ reason: GeoJSONError.Reason) -> JSONError {
        fault = reason
        return JSONError(reason: .structure, offset: reader.offset)
    }
}
