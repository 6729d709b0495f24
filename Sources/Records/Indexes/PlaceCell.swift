import Glibc
import Location

/// A part of the Earth's surface whose points have adjacent numbers in an index.
///
/// The number of a point is made of 32 bits of its longitude and 32 bits of its latitude in turn, beginning with the longitude.
/// So each quarter of a cell, and each quarter of that, has numbers without a gap between them.
struct PlaceCell {
    /// The shared first bits of the numbers; the others are zero.
    private let number: UInt64
    /// How often the Earth was divided by four to get this cell.
    private let depth: Int

    /// The number of a point.
    static func number(of coordinate: Coordinate) -> UInt64 {
        spread(share(coordinate.longitude, 360)) << 1 | spread(share(coordinate.latitude, 180))
    }

    private static func share(_ degrees: Double, _ all: Double) -> UInt32 {
        UInt32(clamping: Int64(((degrees / all + 0.5) * 0x1p32).rounded(.down)))
    }

    /// The bits of a number, with a zero before each.
    private static func spread(_ number: UInt32) -> UInt64 {
        (0..<32).reduce(0) { $0 | (UInt64(number) >> $1 & 1) << (2 * $1) }
    }

    private static let mostCells = 16

    /// The numbers of all points within so many metres of a place, and of some others: few ranges that cover the circle.
    static func numbers(within radius: Double, of place: Coordinate) -> [KeyRange] {
        let boxes = Box.around(place, radius)
        var cells = [PlaceCell(number: 0, depth: 0)]
        // The largest cell that is only partly in the circle's box is divided, until there are enough.
        while cells.count < mostCells {
            let divisible = cells.indices.filter { index in
                cells[index].depth < 32 && !boxes.contains { $0.contains(cells[index].box) }
            }
            guard let index = divisible.min(by: { cells[$0].depth < cells[$1].depth }) else { break }
            let cell = cells.remove(at: index)
            cells += cell.quarters.filter { quarter in boxes.contains { $0.intersects(quarter.box) } }
        }
        return cells.map(\.keys).joined
    }

    private var quarters: [PlaceCell] {
        (0..<4).map { PlaceCell(number: number | UInt64($0) << (62 - 2 * depth), depth: depth + 1) }
    }

    private var keys: KeyRange {
        let (end, isLast) = number.addingReportingOverflow(depth == 0 ? 0 : 1 << (64 - 2 * depth))
        let first = IndexKey(place: number)
        return KeyRange(first, before: isLast || depth == 0 ? first.first.end : IndexKey(place: end))
    }

    private var box: Box {
        var (west, south, width, height) = (-180.0, -90.0, 360.0, 180.0)
        for level in 0..<depth {
            let bits = number >> (62 - 2 * level)
            width /= 2
            height /= 2
            if bits & 2 != 0 { west += width }
            if bits & 1 != 0 { south += height }
        }
        return Box(west: west, south: south, east: west + width, north: south + height)
    }

    /// An area between two meridians and two parallels, in degrees.
    private struct Box {
        var west, south, east, north: Double

        /// What a number can lose when it is computed, and more: a tenth of a metre.
        private static let margin = 1e-6

        /// One or two boxes that contain the circle around a place.
        static func around(_ place: Coordinate, _ radius: Double) -> [Box] {
            let angle = radius / Coordinate.meanEarthRadius
            let degrees = angle * 180 / .pi + margin
            let south = place.latitude - degrees
            let north = place.latitude + degrees
            guard angle < .pi / 2, south > -90, north < 90 else {
                // A pole is in the circle, and so are points of all longitudes.
                return [Box(west: -180, south: max(south, -90), east: 180, north: min(north, 90))]
            }
            let width = asin(min(1, sin(angle) / cos(place.latitude * .pi / 180))) * 180 / .pi + margin
            let box = Box(west: place.longitude - width, south: south, east: place.longitude + width, north: north)
            if box.west < -180 {
                return [box.moved(to: -180, box.east), box.moved(to: box.west + 360, 180)]
            }
            if box.east > 180 {
                return [box.moved(to: box.west, 180), box.moved(to: -180, box.east - 360)]
            }
            return [box]
        }

        private func moved(to west: Double, _ east: Double) -> Box {
            Box(west: west, south: south, east: east, north: north)
        }

        func contains(_ other: Box) -> Bool {
            west <= other.west && other.east <= east && south <= other.south && other.north <= north
        }

        func intersects(_ other: Box) -> Bool {
            west <= other.east && other.west <= east && south <= other.north && other.south <= north
        }
    }
}
