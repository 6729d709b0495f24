/// What a destination wants positions to look like.
public enum UploadFormat: String, CaseIterable, Sendable {
    /// OwnTracks' `location`, one a request or message: https://owntracks.org/booklet/tech/json/.
    case owntracks
    /// Overland's batches, https://github.com/aaronpk/Overland-iOS.
    case overland
    /// OsmAnd's and Traccar's parameters, one position a request: https://www.traccar.org/osmand/.
    case osmand
    /// A FeatureCollection of RFC 7946.
    case geojson

    /// Whether a request may carry more than one position.
    public var takesBatches: Bool { self == .overland || self == .geojson }

    /// Whether a request tells the newest position apart from those that it hands over, so that it need not be sent
    /// before its turn.
    var tellsCurrentApart: Bool { self == .overland }
}
