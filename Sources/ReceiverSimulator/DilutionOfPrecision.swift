import Glibc

/// The factors by which the geometry of the satellites increases the range error.
struct DilutionOfPrecision: Equatable, Sendable {
    var position: Double
    var horizontal: Double
    var vertical: Double

    /// The values that u-blox and other receivers send without a solution.
    static let unknown = DilutionOfPrecision(position: 99.99, horizontal: 99.99, vertical: 99.99)

    init(position: Double, horizontal: Double, vertical: Double) {
        self.position = position
        self.horizontal = horizontal
        self.vertical = vertical
    }

    /// The dilution of these satellites, from the trace of the inverse of the normal matrix; nil if there are too few
    /// or they are collinear. If the height is fixed, three satellites suffice and the vertical part is unknown.
    init?(of satellites: [Sky.Satellite], heightIsHeld: Bool) {
        let rows = satellites.map { satellite -> [Double] in
            let elevation = satellite.elevation * .pi / 180
            let azimuth = satellite.azimuth * .pi / 180
            let level = [cos(elevation) * sin(azimuth), cos(elevation) * cos(azimuth)]
            return level + (heightIsHeld ? [1] : [sin(elevation), 1])
        }
        let size = heightIsHeld ? 3 : 4
        guard rows.count >= size else { return nil }
        var normal = [[Double]](repeating: [Double](repeating: 0, count: size), count: size)
        for row in rows {
            for line in 0..<size {
                for column in 0..<size { normal[line][column] += row[line] * row[column] }
            }
        }
        guard let variances = Self.inverseDiagonal(of: normal) else { return nil }
        let limit = Self.unknown.position
        horizontal = min(limit, (variances[0] + variances[1]).squareRoot())
        vertical = heightIsHeld ? limit : min(limit, variances[2].squareRoot())
        position = heightIsHeld ? horizontal : min(limit, hypot(horizontal, vertical))
    }

    /// The diagonal of a matrix's inverse, by Gauss-Jordan elimination; nil if it is singular.
    private static func inverseDiagonal(of matrix: [[Double]]) -> [Double]? {
        let size = matrix.count
        var left = matrix
        var right = matrix.indices.map { line in matrix.indices.map { $0 == line ? 1.0 : 0.0 } }
        for pivot in 0..<size {
            guard let best = (pivot..<size).max(by: { abs(left[$0][pivot]) < abs(left[$1][pivot]) }),
                abs(left[best][pivot]) > 1e-9
            else { return nil }
            left.swapAt(pivot, best)
            right.swapAt(pivot, best)
            let divisor = left[pivot][pivot]
            for column in 0..<size {
                left[pivot][column] /= divisor
                right[pivot][column] /= divisor
            }
            for line in 0..<size where line != pivot {
                let factor = left[line][pivot]
                for column in 0..<size {
                    left[line][column] -= factor * left[pivot][column]
                    right[line][column] -= factor * right[pivot][column]
                }
            }
        }
        let diagonal = (0..<size).map { right[$0][$0] }
        return diagonal.allSatisfy { $0 > 0 } ? diagonal : nil
    }
}
