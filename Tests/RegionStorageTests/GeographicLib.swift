import Glibc
import Location
import TestSupport

/// GeographicLib's `GeodSolve`, the reference for distances on the ellipsoid, of the package geographiclib-tools.
enum GeographicLib {
    /// Why there are no distances.
    struct Failure: Error {
        let text: String
    }

    /// Whether it is installed.
    static let isInstalled = access(program, X_OK) == 0

    private static let program = "/usr/bin/GeodSolve"

    /// Metres of the shortest line between the coordinates of each pair.
    static func distances(_ pairs: [(Coordinate, Coordinate)]) throws -> [Double] {
        let directory = try TemporaryDirectory()
        var text: [UInt8] = []
        text.reserveCapacity(pairs.count * 80)
        for (one, other) in pairs {
            text += "\(one.latitude) \(one.longitude) \(other.latitude) \(other.longitude)\n".utf8
        }
        let path = try directory.write("pairs", bytes: text)
        guard let output = popen("\(program) -i -p 6 --input-file '\(path)'", "r") else {
            throw Failure(text: "GeodSolve cannot be started")
        }
        defer { pclose(output) }
        var distances: [Double] = []
        distances.reserveCapacity(pairs.count)
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while getline(&line, &capacity, output) > 0, let line {
            // The azimuths at both ends, and the distance.
            let columns = String(cString: line).split(whereSeparator: \.isWhitespace)
            guard columns.count == 3, let metres = Double(columns[2]) else {
                throw Failure(text: "GeodSolve printed \(String(cString: line))")
            }
            distances.append(metres)
        }
        guard distances.count == pairs.count else {
            throw Failure(text: "GeodSolve printed \(distances.count) lines for \(pairs.count) pairs")
        }
        return distances
    }
}
