import Glibc

/// One cell of the grid that reduced positions are made of, about 5,000 m by 5,000 m.
///
/// It is two whole numbers and nothing else, so that nothing finer can be kept in it, saved with it or read from it.
/// The grid lies on a sphere of the mean radius: 4,003 bands from pole to pole, each divided into as many columns as
/// fit with 5,000 m or more. The number of columns follows from the band alone and never from where in the band a place
/// is; a longitude whose step followed the exact latitude would tell that latitude. The first and the last band are
/// round caps of one cell each, so that a place near a pole has no direction to give away.
///
/// | band | latitude of its centre | columns | width at the centre |
/// | --- | --- | --- | --- |
/// | 0 | -90 | 1 | a cap of 5,000 m radius |
/// | 1 | -89.9325 | 9 | 5,239 m |
/// | 2001 | 0 | 8,006 | 5,000 m |
/// | 3335 | 59.985 | 4,004 | 5,001 m |
public struct ReducedCell: Hashable, Sendable {
    /// Metres from one band to the next, and the least from one column to the next.
    public static let size = 5_000.0
    /// Bands from pole to pole: as many as fit with the cell's size or more.
    static let bands = Int32(Double.pi * Coordinate.meanEarthRadius / size)
    /// Degrees from one band to the next.
    static let bandStep = 180 / Double(bands)

    /// Which band, from 0 at the south pole.
    public let band: Int32
    /// Which column of it, eastwards from 0 at the 180th meridian.
    public let column: Int32

    /// The cell with these numbers; nil where the grid has none.
    public init?(band: Int32, column: Int32) {
        guard (0..<Self.bands).contains(band), (0..<Self.columns(inBand: band)).contains(column) else { return nil }
        self.band = band
        self.column = column
    }

    /// The cell of a place that is moved first, by so many cells to the north and to the east, -0.5…0.5 each.
    public init(containing place: Coordinate, movedNorth north: Double, movedEast east: Double) {
        let row = ((place.latitude + 90) / Self.bandStep + north).rounded(.down)
        band = Int32(max(0, min(row, Double(Self.bands - 1))))
        let columns = Self.columns(inBand: band)
        let position = ((place.longitude + 180) / 360 * Double(columns) + east).rounded(.down)
        // -180° and 180° are one meridian, and a move may lead across it.
        let column = Int32(position) % columns
        self.column = column < 0 ? column + columns : column
    }

    /// The middle of the cell, to four digits: more would promise what is not there.
    public var centre: Coordinate {
        let columns = Self.columns(inBand: band)
        let longitude = columns == 1 ? 0 : (Double(column) + 0.5) * 360 / Double(columns) - 180
        return Coordinate(
            clampedLatitude: Self.fourDigits(Self.centreLatitude(ofBand: band)),
            clampedLongitude: Self.fourDigits(longitude))
    }

    /// Degrees: the middle of a band, the pole itself for a cap.
    static func centreLatitude(ofBand band: Int32) -> Double {
        switch band {
        case 0: -90
        case bands - 1: 90
        default: (Double(band) + 0.5) * bandStep - 90
        }
    }

    /// How many columns a band has, by the latitude of its middle.
    static func columns(inBand band: Int32) -> Int32 {
        guard band > 0, band < bands - 1 else { return 1 }
        let parallel = 2 * Double(bands) * cos(centreLatitude(ofBand: band) * .pi / 180)
        return Int32(parallel)
    }

    private static func fourDigits(_ degrees: Double) -> Double { (degrees * 10_000).rounded() / 10_000 }
}
