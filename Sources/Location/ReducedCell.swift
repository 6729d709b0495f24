import Glibc

/// One cell of the grid of reduced positions, about 5,000 m by 5,000 m.
///
/// It consists of two whole numbers and nothing else, so nothing finer can be stored in it or derived from it. The grid
/// divides a sphere with the mean radius into 4,003 bands from pole to pole, and each band into as many columns of at
/// least 5,000 m as fit. The number of columns depends only on the band, never on a place's latitude within the band: a
/// step of longitude that depended on the exact latitude would reveal that latitude. The first and the last band are
/// round caps of one cell each, so that a place near a pole reveals no direction.
///
/// | band | latitude of its centre | columns | width at the centre |
/// | --- | --- | --- | --- |
/// | 0 | -90 | 1 | a cap of 5,000 m radius |
/// | 1 | -89.9325 | 9 | 5,239 m |
/// | 2001 | 0 | 8,006 | 5,000 m |
/// | 3335 | 59.985 | 4,004 | 5,001 m |
public struct ReducedCell: Hashable, Sendable {
    /// Metres between two bands, and the least metres between two columns.
    public static let size = 5_000.0
    /// The number of bands from pole to pole: as many of at least the cell's size as fit.
    static let bands = Int32(Double.pi * Coordinate.meanEarthRadius / size)
    /// Degrees between two bands.
    static let bandStep = 180 / Double(bands)

    /// The band, counted from 0 at the south pole.
    public let band: Int32
    /// The column of the band, counted eastwards from 0 at the 180th meridian.
    public let column: Int32

    /// The cell with these numbers; nil if the grid has no such cell.
    public init?(band: Int32, column: Int32) {
        guard (0..<Self.bands).contains(band), (0..<Self.columns(inBand: band)).contains(column) else { return nil }
        self.band = band
        self.column = column
    }

    /// The cell of a place after moving it by this number of cells to the north and to the east, -0.5…0.5 each.
    public init(containing place: Coordinate, movedNorth north: Double, movedEast east: Double) {
        let row = ((place.latitude + 90) / Self.bandStep + north).rounded(.down)
        band = Int32(max(0, min(row, Double(Self.bands - 1))))
        let columns = Self.columns(inBand: band)
        let position = ((place.longitude + 180) / 360 * Double(columns) + east).rounded(.down)
        // -180° and 180° are the same meridian, and the offset may cross it.
        let column = Int32(position) % columns
        self.column = column < 0 ? column + columns : column
    }

    /// The centre of the cell, with four decimal places: more would suggest a precision that does not exist.
    public var centre: Coordinate {
        let columns = Self.columns(inBand: band)
        let longitude = columns == 1 ? 0 : (Double(column) + 0.5) * 360 / Double(columns) - 180
        return Coordinate(
            clampedLatitude: Self.fourDigits(Self.centreLatitude(ofBand: band)),
            clampedLongitude: Self.fourDigits(longitude))
    }

    /// The latitude of a band's centre in degrees; the pole itself for a cap.
    static func centreLatitude(ofBand band: Int32) -> Double {
        switch band {
        case 0: -90
        case bands - 1: 90
        default: (Double(band) + 0.5) * bandStep - 90
        }
    }

    /// The number of columns of a band, by the latitude of its centre.
    static func columns(inBand band: Int32) -> Int32 {
        guard band > 0, band < bands - 1 else { return 1 }
        let parallel = 2 * Double(bands) * cos(centreLatitude(ofBand: band) * .pi / 180)
        return Int32(parallel)
    }

    private static func fourDigits(_ degrees: Double) -> Double { (degrees * 10_000).rounded() / 10_000 }
}
