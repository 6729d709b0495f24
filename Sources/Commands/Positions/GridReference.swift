import Location

/// A place in the Military Grid Reference System: the square metre of the grid that contains it, NGA.STND.0037.
///
/// Between 80° south and 84° north the grid is that of UTM, elsewhere that of UPS.
struct GridReference: Equatable {
    /// The zone and its band, such as `32U` or `05Q`; a band alone at the poles, such as `Z`.
    let zone: String
    /// The letters of the square of 100 km within the zone.
    let square: String
    /// Metres east of the square's western side, 0…99,999.
    let easting: Int
    /// Metres north of the square's southern side, 0…99,999.
    let northing: Int

    /// The square metre that contains a place.
    init(_ coordinate: Coordinate) {
        let band = Self.band(coordinate.latitude)
        if let band {
            self.init(coordinate, band)
        } else {
            self.init(polar: coordinate)
        }
    }

    /// The reference with the digits that suit a horizontal accuracy in metres. As is usual for grid references, digits
    /// are cut off and not rounded, so that the reference names a square that contains the place.
    ///
    /// | accuracy | digits of each coordinate | the side of the square |
    /// | --- | --- | --- |
    /// | below 100 m | 5 | 1 m |
    /// | below 1 km | 4 | 10 m |
    /// | below 10 km | 3 | 100 m |
    /// | above | 2 | 1 km |
    func text(within accuracy: Double) -> String {
        let digits =
            switch accuracy {
            case ..<100: 5
            case ..<1_000: 4
            case ..<10_000: 3
            default: 2
            }
        func cut(_ meters: Int) -> Substring {
            let text = String(meters)
            return (String(repeating: "0", count: 5 - text.count) + text).prefix(digits)
        }
        return "\(zone) \(square) \(cut(easting)) \(cut(northing))"
    }

    private init(_ coordinate: Coordinate, _ band: Character) {
        let number = Self.zone(coordinate, band)
        // 180° east is 180° west.
        let longitude = coordinate.longitude - (coordinate.longitude >= 180 ? 360 : 0)
        let (east, north) = TransverseMercator.project(
            latitude: coordinate.latitude, longitude: longitude - Double(number * 6 - 183))
        let easting = Self.meters(500_000 + east)
        // A place south of the equator stays there, however near.
        let northing = coordinate.latitude < 0 ? min(Self.meters(10_000_000 + north), 9_999_999) : Self.meters(north)
        // The letters of columns repeat in every third zone, and those of rows every 2,000 km; even zones begin the
        // rows with F.
        let column = Self.letter(Self.columns[(number - 1) % Self.columns.count], easting / Self.side - 1)
        let row = Self.letter(Self.rows, (northing / Self.side + (number % 2 == 0 ? 5 : 0)) % Self.rows.count)
        zone = (number < 10 ? "0" : "") + "\(number)\(band)"
        square = "\(column)\(row)"
        self.easting = easting % Self.side
        self.northing = northing % Self.side
    }

    /// The letter of the eight degrees of latitude, twelve for the northernmost; nil where UPS applies.
    private static func band(_ latitude: Double) -> Character? {
        guard latitude >= -80, latitude < 84 else { return nil }
        return letter(Array("CDEFGHJKLMNPQRSTUVWX"), min(Int((latitude + 80) / 8), 19))
    }

    /// The zone of six degrees of longitude, with the wider zones of south-western Norway and of Svalbard.
    private static func zone(_ coordinate: Coordinate, _ band: Character) -> Int {
        let longitude = coordinate.longitude
        if band == "V", (3..<12).contains(longitude) { return 32 }
        if band == "X" {
            switch longitude {
            case 0..<9: return 31
            case 9..<21: return 33
            case 21..<33: return 35
            case 33..<42: return 37
            default: break
            }
        }
        return longitude >= 180 ? 1 : Int((longitude + 180) / 6) + 1
    }

    private static let columns = ["ABCDEFGH", "JKLMNPQR", "STUVWXYZ"].map(Array.init)
    private static let rows = Array("ABCDEFGHJKLMNPQRSTUV")

    private init(polar coordinate: Coordinate) {
        let (east, north) = PolarStereographic.project(latitude: coordinate.latitude, longitude: coordinate.longitude)
        let (easting, northing) = (Self.meters(2_000_000 + east), Self.meters(2_000_000 + north))
        let isNorthern = coordinate.latitude > 0
        let isEastern = easting >= 2_000_000
        // The maps begin 700 km and 1,200 km from the pole, with a letter for each 100 km.
        let first = isNorthern ? 13 : 8
        let columns =
            isNorthern
            ? (isEastern ? "ABCFGHJ" : "RSTUXYZ") : (isEastern ? "ABCFGHJKLPQR" : "JKLPQRSTUXYZ")
        let column = easting / Self.side - (isEastern ? 20 : first)
        zone = isNorthern ? (isEastern ? "Z" : "Y") : (isEastern ? "B" : "A")
        square =
            "\(Self.letter(Array(columns), column))"
            + "\(Self.letter(Array("ABCDEFGHJKLMNPQRSTUVWXYZ"), northing / Self.side - first))"
        self.easting = easting % Self.side
        self.northing = northing % Self.side
    }

    /// The side of a lettered square in metres.
    private static let side = 100_000

    /// Whole metres. A micrometre is added, so that the errors of the computation, which are smaller, do not move a
    /// place on a line of the grid to the square before.
    private static func meters(_ distance: Double) -> Int { Int((distance + 1e-6).rounded(.down)) }

    /// The letter with this number; the nearest one for a number that rounding has moved beyond the edge of a map.
    private static func letter(_ letters: [Character], _ number: Int) -> Character {
        letters[max(0, min(number, letters.count - 1))]
    }
}
