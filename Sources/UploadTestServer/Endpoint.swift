/// Which of the uploads' formats a request is in, told by its path.
enum Endpoint: String, CaseIterable, Sendable {
    case owntracks, overland, osmand, geojson

    /// The endpoint at a path; `/` is that of OsmAnd, whose apps are given an address without one.
    init?(path: String) {
        if path == "/" {
            self = .osmand
        } else {
            guard let match = Self.allCases.first(where: { path == "/\($0.rawValue)" || path == "/\($0.rawValue)/" })
            else { return nil }
            self = match
        }
    }

    /// Whether requests of this method are understood.
    func takes(method: String) -> Bool { method == "POST" || (method == "GET" && self == .osmand) }

    /// What the format takes for an acknowledgement.
    var acknowledgement: HTTPReply {
        switch self {
        case .owntracks: HTTPReply(200, json: "[]")
        case .overland: HTTPReply(200, json: #"{"result":"ok"}"#)
        case .osmand: HTTPReply(200)
        case .geojson: HTTPReply(204)
        }
    }
}
