import CommandLineKit
import Location

/// How places are written in texts for people. JSON and other formats for programs always have decimal degrees.
enum CoordinateNotation: String, CaseIterable {
    /// Decimal degrees.
    case degrees
    /// Degrees, minutes and seconds.
    case dms
    /// The Military Grid Reference System.
    case mgrs

    /// The option `--coordinates` of commands that print positions.
    static let option = Option(
        "coordinates", Value("NOTATION", .choice(allCases.map(\.rawValue))),
        "how the text writes coordinates, else as WAYMARK_COORDINATES or waymark-cli.conf(5) say, else in degrees")

    /// A column of places: its title and the width of its longest cell.
    struct Column {
        let title: String
        let width: Int
    }

    /// The columns in which a place is written.
    var columns: [Column] {
        switch self {
        case .degrees: [Column(title: "LATITUDE", width: 11), Column(title: "LONGITUDE", width: 12)]
        case .dms: [Column(title: "LATITUDE", width: 14), Column(title: "LONGITUDE", width: 15)]
        case .mgrs: [Column(title: "MGRS", width: 18)]
        }
    }

    /// The text of each column, with the digits that suit the horizontal accuracy in metres.
    func cells(_ place: Coordinate, within accuracy: Double, in encoding: TextEncoding) -> [String] {
        switch self {
        case .degrees:
            return [place.latitude, place.longitude].map { Measure.degrees($0, within: accuracy) }
        case .dms:
            let precision = SexagesimalAngle.Precision(within: accuracy)
            return [SexagesimalAngle(latitude: place.latitude), SexagesimalAngle(longitude: place.longitude)]
                .map { $0.text(precision, in: encoding) }
        case .mgrs: return [GridReference(place).text(within: accuracy)]
        }
    }

    /// The place in the full text of a position: titles and texts.
    func details(_ place: Coordinate, within accuracy: Double, in encoding: TextEncoding) -> [(String, String)] {
        let cells = cells(place, within: accuracy, in: encoding)
        switch self {
        case .degrees: return zip(["Latitude", "Longitude"], cells.map { "\($0)°" }).map { ($0, $1) }
        case .dms: return zip(["Latitude", "Longitude"], cells).map { ($0, $1) }
        case .mgrs: return [("MGRS", cells[0])]
        }
    }

    /// The place on a line of text, such as `47.58002, 21.12011`.
    func text(_ place: Coordinate, within accuracy: Double, in encoding: TextEncoding) -> String {
        cells(place, within: accuracy, in: encoding).joined(separator: ", ")
    }
}
