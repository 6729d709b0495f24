import Interfaces
import JSONText
import Location
import Testing
import Varlink

@testable import Commands

@Suite struct TrackWritingTests {
    private func file(_ format: TrackFormat, _ positions: [Position], interruptedAfter index: Int? = nil) -> String {
        var writer = format.writer()
        var text = writer.begin()
        for (number, position) in positions.enumerated() {
            text += writer.add(position)
            if number == index { text += writer.interrupt() }
        }
        return text + writer.end()
    }

    @Test func `GPX has the elements of a point in the order of its schema`() throws {
        let text = file(.gpx, [try makePosition()])
        #expect(
            text.contains(
                "<trkpt lat=\"47.5800210\" lon=\"21.1201068\"><ele>86.60</ele><time>2026-06-01T08:00:09Z</time>"
                    + "<geoidheight>41.60</geoidheight><src>simulated</src><fix>3d</fix></trkpt>\n"))
        #expect(text.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gpx version=\"1.1\" creator=\"Waymark "))
        #expect(text.hasSuffix("</trkseg>\n</trk>\n</gpx>\n"))
    }

    @Test func `an interruption begins a new segment, but never an empty one`() throws {
        let positions = [try makePosition(), try makePosition(timestamp: 1_780_300_810)]
        #expect(file(.gpx, positions, interruptedAfter: 0).components(of: "<trkseg>") == 2)
        var writer = GPXTrack()
        _ = writer.begin()
        #expect(writer.interrupt() == "")
        #expect(file(.kml, positions, interruptedAfter: 0).components(of: "<gx:Track>") == 2)
        #expect(file(.kml, positions).components(of: "<gx:Track>") == 1)
    }

    @Test func `KML has as many times as coordinates, longitude first, and no altitude where none is known`() throws {
        var flat = try makePosition(timestamp: 1_780_300_811)
        flat.altitude = nil
        let text = file(.kml, [try makePosition(), flat])
        #expect(text.components(of: "<when>") == 2)
        #expect(text.contains("<gx:coord>21.1201068 47.5800210 86.60</gx:coord>"))
        #expect(text.contains("<altitudeMode>clampToGround</altitudeMode>\n<when>2026-06-01T08:00:11Z</when>"))
    }

    @Test func `a long KML track is written in parts, so that memory is bounded`() throws {
        var writer = KMLTrack()
        let position = try makePosition()
        var written = 0
        for _ in 0..<10_001 { written += writer.add(position).isEmpty ? 0 : 1 }
        #expect(written == 1)
    }

    @Test(arguments: [0, 1, 3]) func `GeoJSON is a collection of points with heights above the ellipsoid`(
        _ count: Int
    ) throws {
        let positions = try (0..<count).map { try makePosition(timestamp: 1_780_300_809 + Double($0)) }
        let json = try JSON.parse(Array(file(.geojson, positions).utf8))
        #expect(json["type"] == "FeatureCollection")
        let features = try #require(json["features"]?.arrayValue)
        #expect(features.count == count)
        for feature in features {
            #expect(feature["geometry"]?["type"] == "Point")
            let coordinates = feature["geometry"]?["coordinates"]?.arrayValue?.compactMap(\.numberValue)
            #expect(coordinates == [21.1201068, 47.580021, 128.2])
            #expect(feature["properties"]?["altitude"]?.numberValue == 86.6)
            #expect(feature["properties"]?["isSimulated"] == true)
        }
    }

    @Test func `CSV has a header and as many fields in each record`() throws {
        let records = file(.csv, [try makePosition()]).split(separator: "\r\n")
        #expect(records.count == 2)
        let counts = records.map { $0.split(separator: ",", omittingEmptySubsequences: false).count }
        #expect(counts == [16, 16])
        #expect(
            records[1].hasPrefix("2026-06-01T08:00:09Z,47.5800210,21.1201068,9.726,86.600,128.200,14.470,5.445,,76.72,")
        )
    }

    @Test(arguments: [
        ("plain", "plain"), ("a,b", "\"a,b\""), ("say \"no\"", "\"say \"\"no\"\"\""), ("two\nlines", "\"two\nlines\""),
        ("a\r\nb", "\"a\r\nb\""), ("=SUM(A1)", "'=SUM(A1)"), ("-12.5", "-12.5"), ("+x", "'+x"), ("@x,y", "\"'@x,y\""),
    ]) func `a field of CSV is quoted where it has to be, and never a formula`(_ text: String, field: String) {
        #expect(CSVText.line([text]) == field + "\r\n")
    }

    @Test func `texts in XML contain neither markup nor invalid characters`() {
        #expect(XMLText.escaped("<a & \"b\">\u{0}\u{1B}é") == "&lt;a &amp; &quot;b&quot;&gt;é")
    }

    @Test(arguments: [("a.GPX", TrackFormat.gpx), ("/x.y/b.geojson", .geojson), ("c.kml", .kml), ("d.csv", .csv)])
    func `a file's name selects its format`(_ name: String, format: TrackFormat) {
        #expect(TrackFormat(fileName: name) == format)
        #expect(TrackFormat(fileName: "gpx") == nil)
        #expect(TrackFormat(fileName: "a.txt") == nil)
    }

    @Test func `events are exported without a place, and omitted in formats that require one`() throws {
        let event = JournalEntry(
            sequence: 7, time: 1_780_300_800, monotonic: 1, boot: "", kind: "note", user: 0,
            details: ["text": "one, two"])
        var csv = try #require(EventExport(.csv))
        #expect(csv.add(event) == "7,2026-06-01T08:00:00Z,note,,0,\"{\"\"text\"\":\"\"one, two\"\"}\"\r\n")
        var geojson = try #require(EventExport(.geojson))
        let text = geojson.begin() + geojson.add(event) + geojson.add(event) + geojson.end()
        let features = try #require(try JSON.parse(Array(text.utf8))["features"]?.arrayValue)
        #expect(features.count == 2)
        #expect(features[0]["geometry"] == .null)
        #expect(features[1]["properties"]?["details"]?["text"] == "one, two")
        #expect(EventExport(.gpx) == nil)
        #expect(EventExport(.kml) == nil)
    }
}

extension String {
    /// How often a text occurs.
    func components(of text: String) -> Int { ranges(of: text).count }
}
