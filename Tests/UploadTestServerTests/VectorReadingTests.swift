import HTTPServing
import Location
import Testing
import UploadVectors

@testable import UploadTestServer

extension Endpoint: CustomTestStringConvertible {
    /// The name.
    public var testDescription: String { name }
}

/// The server parses each format's vectors, which are the uploader's requests.
@Suite struct VectorReadingTests {
    @Test func `every format that has vectors has an endpoint`() throws {
        #expect(try UploadVectors.formats() == Set(Endpoint.all.map(\.name)))
    }

    @Test(arguments: Endpoint.all)
    func `a vector's request is read back into its positions`(_ endpoint: Endpoint) throws {
        for vector in try UploadVectors(endpoint.name).vectors {
            let arrival = try endpoint.read(try Self.request(vector, at: endpoint))
            let points = arrival.points.map { Self.line("point", $0) }
            let lines = points + (arrival.current.map { [Self.line("current", $0)] } ?? [])
            #expect(lines == vector.points, "\(vector.name):\n\(lines.joined(separator: "\n"))")
            #expect(arrival.points.count == vector.points.count { $0.hasPrefix("point") })
            for (point, recorded) in zip(arrival.points, vector.positions) where point.latitude != nil {
                #expect(point.id == PointID(recorded.recording, recorded.sequence))
                let coordinate = recorded.position.coordinate
                #expect(point.latitude == coordinate.latitude && point.longitude == coordinate.longitude)
            }
        }
    }

    /// The request as it arrives; a message to a broker as if it were posted.
    private static func request(_ vector: UploadVector, at endpoint: Endpoint) throws -> ServedRequest {
        let method = vector.part("get") == nil ? "POST" : "GET"
        #expect(endpoint.methods.contains(method))
        let parts = (vector.part("get") ?? vector.part("post") ?? "").split(separator: "?", maxSplits: 1)
        return ServedRequest(
            method: method, path: [endpoint.name],
            query: parts.count > 1 ? FormText.pairs(Array(parts[1].utf8)) : [],
            body: vector.body)
    }

    private static func line(_ word: String, _ point: ReceivedPoint) -> String {
        let numbers = [point.latitude, point.longitude, point.accuracy].map { $0?.description ?? "-" }
        return ([word, point.id?.sequence.description ?? "-", point.time ?? "-"] + numbers).joined(separator: " ")
    }
}
