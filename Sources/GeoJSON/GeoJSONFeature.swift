import JSONText
import Location
import Regions

/// A feature of a GeoJSON text, RFC 7946: a geometry, and the properties that say which region it is.
///
/// The longitude is the first number of a position, and an altitude after the latitude is ignored.
public struct GeoJSONFeature: Equatable, Sendable {
    /// The parts of a geometry: one, or several of a geometry whose type begins with Multi.
    public enum Geometry: Equatable, Sendable {
        /// Of a Point or MultiPoint.
        case points([Coordinate])
        /// Of a LineString or MultiLineString.
        case lines([[Coordinate]])
        /// Of a Polygon or MultiPolygon: the rings of each part.
        case polygons([[[Coordinate]]])
    }

    /// The property `tst`: when the region was created, by which OwnTracks identifies it.
    public enum Creation: Equatable, Sendable {
        /// Whole seconds since 1970.
        case at(Int64)
        /// The property is something else.
        case invalid
    }

    /// The greatest time of creation: the last second of the year 9999.
    static let latestCreation = 253_402_300_799.0

    /// The deepest nesting of arrays and objects, also in properties that are ignored.
    static let maximumDepth = 64

    /// The first of the member `id` and the properties `id`, `identifier` and `name` that the feature has.
    public var identifier: String?
    /// Where it is.
    public var geometry: Geometry
    /// The property `radius` in metres.
    public var radius: Double?
    /// The property `width` in metres: the whole width of a corridor.
    public var width: Double?
    /// The property `dwell` in seconds.
    public var dwell: Double?
    /// The property `loitering` in seconds.
    public var loitering: Double?
    /// The property `tst`.
    public var creation: Creation?

    /// Reads an element of `features`, or a whole text that is a feature or a geometry.
    ///
    /// - Parameter number: The number of the element, from 1; nil for a whole text.
    public init(_ text: [UInt8], number: Int?) throws(GeoJSONError) {
        do throws(GeoJSONError) {
            var reading = FeatureReading()
            self = try reading.feature(text, isElement: number != nil)
        } catch {
            throw number.map { error.of(feature: $0) } ?? error
        }
    }

    init(identifier: String? = nil, geometry: Geometry) {
        self.identifier = identifier
        self.geometry = geometry
    }
}

/// What a feature is made of, while it is read. Members may be in any order.
private struct FeatureReading {
    private var type: String?
    private var geometry: GeoJSONFeature.Geometry?
    private var properties = PropertyReading()
    /// Why reading was ended, where that is not an error of JSON.
    private var fault: GeoJSONError.Reason?

    mutating func feature(_ text: [UInt8], isElement: Bool) throws(GeoJSONError) -> GeoJSONFeature {
        do throws(JSONError) {
            try read(text, isElement: isElement)
        } catch {
            let fault = fault ?? properties.fault ?? .json(error)
            throw GeoJSONError(fault, identifier: properties.identifier?.text)
        }
        guard let geometry else { throw GeoJSONError(.geometryMissing, identifier: properties.identifier?.text) }
        var feature = GeoJSONFeature(identifier: properties.identifier?.text, geometry: geometry)
        feature.radius = properties.radius
        feature.width = properties.width
        feature.dwell = properties.dwell
        feature.loitering = properties.loitering
        feature.creation = properties.creation
        return feature
    }

    private mutating func read(_ text: [UInt8], isElement: Bool) throws(JSONError) {
        var reader = try JSONReader(text, maximumDepth: GeoJSONFeature.maximumDepth)
        guard reader.kind == .object else { throw fail(isElement ? .notAFeature : .notGeoJSON) }
        let whole = reader
        // A copy of the reader remembers where a value is, to which the reader returns when the type is known.
        var found: JSONReader?
        try reader.members { (reader) throws(JSONError) in
            if reader.isNamed("type"), reader.kind == .string {
                type = try reader.string()
            } else if reader.isNamed("geometry") {
                found = reader
                try reader.skip()
            } else if reader.isNamed("id") {
                try properties.read(.member, &reader, in: text)
            } else if reader.isNamed("properties") {
                try properties.readAll(&reader, in: text)
            } else {
                try reader.skip()
            }
        }
        try reader.end()
        guard type == "Feature" else {
            guard !isElement else { throw fail(.notAFeature) }
            return try readGeometry(whole)
        }
        guard let found, found.kind != .null else { throw fail(.geometryMissing) }
        try readGeometry(found)
    }

    private mutating func readGeometry(_ start: JSONReader) throws(JSONError) {
        var reader = start
        guard reader.kind == .object else { throw fail(.geometryMissing) }
        var type: String?
        var coordinates: JSONReader?
        try reader.members { (reader) throws(JSONError) in
            if reader.isNamed("type"), reader.kind == .string {
                type = try reader.string()
            } else {
                if reader.isNamed("coordinates") { coordinates = reader }
                try reader.skip()
            }
        }
        let known = ["Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon"]
        guard let type, known.contains(type) else {
            throw fail(type == "GeometryCollection" ? .geometryUnsupported : .notGeoJSON)
        }
        guard let coordinates else { throw fail(.coordinatesMalformed) }
        var reading = CoordinateReading(reader: coordinates)
        do throws(JSONError) {
            geometry = try reading.geometry(type)
        } catch {
            throw fail(reading.fault ?? .coordinatesMalformed)
        }
    }

    /// Stores the reason; the error only ends the reading.
    private mutating func fail(_ reason: GeoJSONError.Reason) -> JSONError {
        fault = reason
        return JSONError(reason: .structure, offset: 0)
    }
}
