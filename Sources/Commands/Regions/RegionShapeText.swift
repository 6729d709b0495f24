import Location
import Regions

/// Why a shape on the command line is none.
struct RegionTextError: Error, Equatable {
    /// A sentence for a person.
    let message: String
}

/// Shapes as they are written on the command line.
enum RegionShapeText {
    /// A circle: `47.58,21.12,80`, or `47.58,21.12,80m`.
    static func circle(_ text: String) throws(RegionTextError) -> Region.Shape {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
        guard parts.count == 3, let latitude = Double(parts[0]), let longitude = Double(parts[1]),
            let radius = meters(parts[2])
        else {
            throw RegionTextError(
                message: "--circle takes latitude, longitude and radius in degrees and metres, such as 47.58,21.12,80.")
        }
        guard let center = Coordinate(latitude: latitude, longitude: longitude) else {
            throw RegionTextError(
                message:
                    "The latitude of --circle comes first, between -90 and 90; the longitude is between -180 and 180.")
        }
        return .circle(center: center, radius: radius)
    }

    /// A corridor's file and its width in metres: `route.geojson,400`. The name may contain commas.
    static func corridor(_ text: String) throws(RegionTextError) -> (file: String, width: Double) {
        guard let comma = text.lastIndex(of: ","), comma > text.startIndex,
            let width = meters(trimmed(text[text.index(after: comma)...]))
        else {
            throw RegionTextError(
                message: "--corridor takes a file and the width in metres, such as route.geojson,400.")
        }
        return (String(text[..<comma]), width)
    }

    private static func meters(_ text: String) -> Double? {
        let number = text.hasSuffix("km") ? text.dropLast(2) : text.hasSuffix("m") ? text.dropLast() : text[...]
        guard let value = Double(trimmed(number)), value.isFinite else { return nil }
        return text.hasSuffix("km") ? value * 1_000 : value
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
