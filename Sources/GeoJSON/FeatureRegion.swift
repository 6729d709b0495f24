import Location
import Regions

/// A region that a feature describes: the whole of it, or a part of a geometry with several ones.
public struct FeatureRegion: Equatable, Sendable {
    /// What applies to features that do not say it themselves.
    public struct Defaults: Equatable, Sendable {
        /// The radius of points in metres.
        public var radius: Double?
        /// The whole width of lines in metres.
        public var width: Double?
        /// Seconds that a stay has to last until it is reported.
        public var dwell: Double?
        /// Seconds of a stay after which loitering is reported.
        public var loitering: Double?

        /// Defaults of these values.
        public init(radius: Double? = nil, width: Double? = nil, dwell: Double? = nil, loitering: Double? = nil) {
            self.radius = radius
            self.width = width
            self.dwell = dwell
            self.loitering = loitering
        }
    }

    /// The identifier; of one part among several, with its number: `depot-2`.
    public var identifier: String
    /// Where it is; not validated.
    public var shape: Region.Shape
    /// Seconds that a stay has to last until it is reported; nil for at once.
    public var dwell: Double?
    /// Seconds of a stay after which loitering is reported; nil for never.
    public var loitering: Double?
    /// When the feature was created; nil if it does not say so.
    public var creation: GeoJSONFeature.Creation?
    /// The number of the feature, from 1.
    public var feature: Int
    /// The number of the part, from 1; nil for the whole geometry.
    public var part: Int?

    /// A region of these values.
    public init(
        identifier: String, shape: Region.Shape, dwell: Double? = nil, loitering: Double? = nil,
        creation: GeoJSONFeature.Creation? = nil, feature: Int, part: Int? = nil
    ) {
        self.identifier = identifier
        self.shape = shape
        self.dwell = dwell
        self.loitering = loitering
        self.creation = creation
        self.feature = feature
        self.part = part
    }

    /// Whether the service accepts such an identifier: 1 to 128 bytes without control characters.
    public static func isIdentifier(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// Makes the region, which validates its shape.
    public func validated() throws(GeoJSONError) -> Region {
        do throws(RegionError) { return try Region(shape) } catch {
            throw GeoJSONError(.region(error), feature: feature, part: part, identifier: identifier)
        }
    }
}

extension GeoJSONFeature {
    /// The regions of the feature with this number, from 1: one for each part of its geometry.
    ///
    /// - Parameter name: The identifier to use in place of the feature's own.
    public func regions(
        number: Int, named name: String? = nil, _ defaults: FeatureRegion.Defaults = FeatureRegion.Defaults()
    ) throws(GeoJSONError) -> [FeatureRegion] {
        do throws(GeoJSONError) {
            guard let identifier = name ?? identifier else { throw GeoJSONError(.identifierMissing) }
            let shapes = try shapes(defaults)
            if shapes.isEmpty { throw GeoJSONError(.coordinatesMalformed, identifier: identifier) }
            var regions: [FeatureRegion] = []
            for (index, shape) in shapes.enumerated() {
                let part = shapes.count > 1 ? index + 1 : nil
                let identifier = part.map { "\(identifier)-\($0)" } ?? identifier
                guard FeatureRegion.isIdentifier(identifier) else { throw GeoJSONError(.identifierInvalid) }
                regions.append(
                    FeatureRegion(
                        identifier: identifier, shape: shape, dwell: dwell ?? defaults.dwell,
                        loitering: loitering ?? defaults.loitering, creation: creation, feature: number, part: part))
            }
            return regions
        } catch {
            throw error.of(feature: number)
        }
    }

    private func shapes(_ defaults: FeatureRegion.Defaults) throws(GeoJSONError) -> [Region.Shape] {
        switch geometry {
        case .points(let centers):
            guard let radius = radius ?? defaults.radius else {
                throw GeoJSONError(.radiusMissing, identifier: identifier)
            }
            return centers.map { .circle(center: $0, radius: radius) }
        case .lines(let lines):
            guard let width = width ?? defaults.width else {
                throw GeoJSONError(.widthMissing, identifier: identifier)
            }
            return lines.map { .corridor(line: $0, halfWidth: width / 2) }
        case .polygons(let polygons): return polygons.map { .polygon(rings: $0) }
        }
    }
}
