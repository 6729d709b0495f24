import JSONText
import Regions

/// Why a GeoJSON text does not describe regions, and where. Its text contains no coordinate.
public struct GeoJSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Equatable, Sendable {
        /// No JSON; the offset counts from the beginning of the feature, or of what surrounds the features.
        case json(JSONError)
        /// The text is no object, or its `type` is none of GeoJSON.
        case notGeoJSON
        /// A `FeatureCollection` without `features`, or with two of them.
        case featuresMissing
        /// An element of `features` that is no `Feature`.
        case notAFeature
        /// A feature or a text that is longer than `FeatureSplitter.maximumBytes`.
        case tooLong
        /// A feature without a geometry.
        case geometryMissing
        /// A type of geometry that is no region.
        case geometryUnsupported
        /// Coordinates that are not nested as the type of the geometry requires.
        case coordinatesMalformed
        /// A property that is not what its name means: its name, and what it has to be.
        case property(String, expected: String)
        /// A point without a radius.
        case radiusMissing
        /// A line without a width.
        case widthMissing
        /// Neither an `id` nor one of the properties that may identify the feature.
        case identifierMissing
        /// An identifier that is longer than 128 bytes or contains a control character.
        case identifierInvalid
        /// Another feature of the text, with this number, has the same identifier.
        case identifierRepeated(feature: Int)
        /// A shape that is no region.
        case region(RegionError)
    }

    /// What is wrong.
    public var reason: Reason
    /// The number of the feature, from 1; nil for the whole text.
    public var feature: Int?
    /// The number of the part of a geometry with several ones, from 1.
    public var part: Int?
    /// The identifier of the feature, if it was read.
    public var identifier: String?

    /// An error of the whole text, or of a feature.
    public init(_ reason: Reason, feature: Int? = nil, part: Int? = nil, identifier: String? = nil) {
        self.reason = reason
        self.feature = feature
        self.part = part
        self.identifier = identifier
    }

    /// The same error in this feature.
    func of(feature: Int) -> GeoJSONError {
        var error = self
        error.feature = feature
        return error
    }

    /// For people: where it is, counted from 1, and what is wrong.
    public var description: String {
        guard let feature else { return reason.text }
        let name = identifier.map { " (\($0))" } ?? ""
        let part = part.map { ", part \($0)" } ?? ""
        return "feature \(feature)\(name)\(part): \(reason.text)"
    }
}

extension GeoJSONError.Reason {
    fileprivate var text: String {
        switch self {
        case .json(let error): "it is no JSON: \(error)"
        case .notGeoJSON:
            "it is no GeoJSON: an object whose type is FeatureCollection, Feature or a geometry is expected"
        case .featuresMissing: "a FeatureCollection needs one member features, which is an array"
        case .notAFeature: "an element of features has to be an object whose type is Feature"
        case .tooLong: "it is longer than \(FeatureSplitter.maximumBytes >> 20) MiB"
        case .geometryMissing: "it has no geometry"
        case .geometryUnsupported:
            "its geometry is no region: Point, LineString, Polygon, and MultiPoint, MultiLineString and MultiPolygon are"
        case .coordinatesMalformed:
            "its coordinates are not nested as the type of its geometry requires: a position is [longitude, latitude]"
        case .property(let name, let expected): "the property \(name) has to be \(expected)"
        case .radiusMissing: "a point needs a property radius in metres, or --radius for all points"
        case .widthMissing: "a line needs a property width in metres, or --width for all lines"
        case .identifierMissing: "it has no identifier: give it an id, or a property id, identifier or name"
        case .identifierInvalid: "its identifier has to be 1 to 128 bytes long and without control characters"
        case .identifierRepeated(let feature): "feature \(feature) has the same identifier; each needs one of its own"
        case .region(let error): error.description
        }
    }
}
