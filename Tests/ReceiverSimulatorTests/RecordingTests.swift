import Location
import Testing

@testable import ReceiverSimulator

struct RecordingTests {
    private func epochs(
        _ name: String, with features: [Feature] = [], seed: UInt64 = 1
    ) throws -> [Recording.Epoch] {
        let preset = try #require(Preset.named(name))
        return Array(Recording(preset.scenario(with: features), seed: seed))
    }

    /// The sentences of an epoch that came whole, as fields, without their checksum.
    private func sentences(_ epoch: Recording.Epoch) -> [[String]] {
        String(decoding: epoch.bytes, as: UTF8.self).split(separator: "\r\n").map { line in
            line.dropFirst().prefix { $0 != "*" }.split(separator: ",", omittingEmptySubsequences: false)
                .map(String.init)
        }
    }

    private func field(_ index: Int, of formatter: String, in epoch: Recording.Epoch) throws -> String {
        let sentence = try #require(sentences(epoch).first { $0[0].hasSuffix(formatter) })
        return try #require(sentence.indices.contains(index) ? sentence[index] : nil)
    }

    @Test func `another seed gives another recording of the same journey`() throws {
        let first = try epochs("drive")
        let second = try epochs("drive", seed: 2)
        #expect(first.flatMap(\.bytes) != second.flatMap(\.bytes))
        #expect(first.map(\.truth) == second.map(\.truth))
    }

    @Test func `the round trip ends where it begins, and each position says that it is simulated`() throws {
        let epochs = Array(Recording(Preset.roundTrip.scenario(), seed: 1))
        let (first, last) = (try #require(epochs.first?.truth), try #require(epochs.last?.truth))
        #expect((first.point - last.point).length < 1 && last.speed < 3)
        #expect(epochs.count > 400)
        for epoch in epochs { #expect(try field(6, of: "GGA", in: epoch) == "8") }
        #expect(!Preset.all.contains { $0.name == Preset.roundTrip.name }, "it is no recording of the tests")
    }

    @Test func `a recording can be iterated again`() throws {
        let recording = Recording(try #require(Preset.named("damaged")).scenario(), seed: 5)
        #expect(recording.flatMap(\.bytes) == recording.flatMap(\.bytes))
    }

    @Test func `adding a feature leaves the errors of the others as they are`() throws {
        let plain = try epochs("checksum-errors")
        let silent = try epochs("checksum-errors", with: [.silence])
        #expect(plain.first?.fix == silent.first?.fix)
        #expect(plain.last?.fix == silent.last?.fix)
    }

    @Test(arguments: Preset.all.map(\.name))
    func `a line that is not damaged is whole, short and has its checksum`(name: String) throws {
        guard name != "damaged", name != "checksum-errors" else { return }
        for epoch in try epochs(name) where !epoch.bytes.isEmpty {
            let text = String(decoding: epoch.bytes, as: UTF8.self)
            #expect(text.hasSuffix("\r\n"))
            for line in text.split(separator: "\r\n") {
                let parts = line.dropFirst().split(separator: "*")
                #expect(line.first == "$" && parts.count == 2)
                let sum = parts[0].utf8.reduce(0, ^)
                #expect(UInt8(parts[1], radix: 16) == sum)
                #expect(line.utf8.count <= 82)
            }
        }
    }

    @Test(arguments: ["drive", "walk", "parked-night", "ten-hertz", "multi-constellation", "dgps"])
    func `the error is as large as the receiver says`(name: String) throws {
        let pairs = try epochs(name).compactMap { epoch in epoch.fix.map { ($0, epoch.truth) } }
        let plane = LocalPlane(latitude: pairs[0].1.latitude, longitude: pairs[0].1.longitude)
        let scale = plane.degrees(of: PlanePoint(east: 1, north: 1))
        for (fix, truth) in pairs {
            let east = (fix.coordinate.longitude - truth.longitude) / (scale.longitude - plane.longitude)
            let north = (fix.coordinate.latitude - truth.latitude) / (scale.latitude - plane.latitude)
            #expect(PlanePoint(east: east, north: north).length < 3.5 * fix.horizontalAccuracy)
        }
    }

    @Test func `a cold start goes from nothing over the time to three dimensions`() throws {
        let modes = try epochs("cold-start").map { try field(2, of: "GSA", in: $0) }
        #expect(modes.prefix(25).allSatisfy { $0 == "1" })
        #expect(modes[25..<40].allSatisfy { $0 == "2" })
        #expect(modes[40...].allSatisfy { $0 == "3" })
        let clocks = try epochs("cold-start").map { try field(1, of: "RMC", in: $0) }
        #expect(clocks[9].isEmpty && clocks[10] == "080010.00")
    }

    @Test func `in a tunnel there is a time and no position`() throws {
        let epochs = try epochs("tunnel")
        #expect(epochs[29].fix != nil && epochs[30].fix == nil && epochs[59].fix == nil && epochs[60].fix != nil)
        #expect(try field(2, of: "RMC", in: epochs[45]) == "V")
        #expect(try field(6, of: "GGA", in: epochs[45]) == "0")
        #expect(try field(3, of: "RMC", in: epochs[45]).isEmpty)
        #expect(try field(1, of: "RMC", in: epochs[45]) == "080045.00")
    }

    @Test func `between walls the satellites are few and the errors large`() throws {
        let open = try epochs("multi-constellation").compactMap(\.fix?.horizontalAccuracy)
        let canyon = try epochs("urban-canyon").suffix(70)
        let accuracies = canyon.compactMap(\.fix?.horizontalAccuracy).sorted()
        #expect(accuracies[accuracies.count / 2] > 5 * (open.max() ?? 0))
        #expect(try canyon.contains { Double(try field(8, of: "GGA", in: $0)) ?? 0 > 10 })
        #expect(try canyon.allSatisfy { Int(try field(7, of: "GGA", in: $0)) ?? 0 <= 5 })
    }

    @Test(arguments: [
        ("simulator-quality", 10, "8", "S"), ("dgps", 10, "2", "D"), ("rtk", 10, "1", "A"), ("rtk", 40, "5", "F"),
        ("rtk", 70, "4", "R"), ("dead-reckoning", 40, "6", "E"), ("dead-reckoning", 70, "1", "A"),
    ])
    func `the quality is reported`(name: String, second: Int, quality: String, mode: String) throws {
        let epoch = try epochs(name)[second]
        #expect(try field(6, of: "GGA", in: epoch) == quality)
        #expect(try field(12, of: "RMC", in: epoch) == mode)
    }

    @Test func `in two dimensions there are three satellites and no altitude`() throws {
        let epoch = try epochs("two-dimensional")[20]
        #expect(try field(2, of: "GSA", in: epoch) == "2")
        #expect(try field(7, of: "GGA", in: epoch) == "03")
        #expect(try field(9, of: "GGA", in: epoch).isEmpty)
        #expect(epoch.fix?.altitude == nil)
    }

    @Test func `several systems speak with several talkers`() throws {
        let first = try #require(try epochs("multi-constellation").first)
        let talkers = Set(sentences(first).map { $0[0] })
        #expect(talkers == ["GNRMC", "GNGGA", "GNGSA", "GPGSV", "GLGSV", "GAGSV", "GBGSV", "GNGST"])
        #expect(sentences(first).filter { $0[0] == "GNGSA" }.compactMap(\.last) == ["1", "2", "3", "4"])
    }

    @Test func `ten hertz are ten epochs a second`() throws {
        let epochs = try epochs("ten-hertz")
        #expect(epochs.count == 200)
        #expect(try field(1, of: "RMC", in: epochs[13]) == "080001.30")
    }

    @Test func `the clock falls back and leaps ahead`() throws {
        let epochs = try epochs("clock-jump")
        #expect(
            try [29, 30, 59, 60].map { try field(1, of: "RMC", in: epochs[$0]) }
                == ["080029.00", "075950.00", "080019.00", "090100.00"])
        #expect(epochs[60].time == UTCTime(microseconds: 1_780_300_860_000_000))
    }

    @Test(arguments: [("week-rollover", "161006"), ("week-ahead", "150146")])
    func `1024 weeks off is another date`(name: String, date: String) throws {
        #expect(try field(9, of: "RMC", in: try epochs(name)[0]) == date)
    }

    @Test func `a teleport is far and brief, and the truth stays where it is`() throws {
        let epochs = try epochs("teleport")
        let latitudes = try (29...33).map { try #require(epochs[$0].fix).coordinate.latitude }
        #expect(latitudes[1] - latitudes[0] > 0.2 && latitudes[3] - latitudes[4] > 0.2)
        #expect(abs(epochs[31].truth.latitude - latitudes[0]) < 0.01)
    }

    @Test func `the position of null island is called valid`() throws {
        let epoch = try epochs("null-island")[32]
        #expect(try field(2, of: "RMC", in: epoch) == "A")
        #expect(try (3...6).map { try field($0, of: "RMC", in: epoch) } == ["0000.00000", "N", "00000.00000", "E"])
    }

    @Test func `a silent receiver sends nothing, and then continues`() throws {
        let epochs = try epochs("silence")
        #expect(epochs[30..<60].allSatisfy { $0.bytes.isEmpty && $0.fix == nil })
        #expect(try field(1, of: "RMC", in: epochs[60]) == "080100.00")
    }

    @Test func `about a tenth of the checksums is wrong`() throws {
        let lines = try epochs("checksum-errors").flatMap { epoch in
            String(decoding: epoch.bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
        }
        let wrong = lines.count { line in
            let body = line.dropFirst().prefix { $0 != "*" }
            return UInt8(line.suffix(2), radix: 16) != body.utf8.reduce(0, ^)
        }
        #expect((0.06...0.14).contains(Double(wrong) / Double(lines.count)))
    }

    @Test func `every kind of damage occurs`() throws {
        let bytes = try epochs("damaged").flatMap(\.bytes)
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        #expect(lines.contains { $0.count > 500 })
        #expect(lines.contains { $0.contains { $0 > 127 } })
        #expect(lines.contains { $0.first != UInt8(ascii: "$") })
        #expect(lines.contains { $0.count { $0 == UInt8(ascii: "$") } > 1 })
        #expect(lines.contains { !$0.contains(UInt8(ascii: "*")) })
    }

    @Test func `the makers' own sentences come among the others`() throws {
        let addresses = Set(try epochs("proprietary").flatMap(sentences).map { $0[0] })
        #expect(addresses.isSuperset(of: ["PMTK010", "PUBX", "PGRME", "PGRMM", "GPRMC", "GPGGA"]))
    }

    @Test func `features combine`() throws {
        let epochs = try epochs("walk", with: [.tunnel, .multiConstellation, .withoutErrorEstimates])
        #expect(epochs[epochs.count / 2].fix == nil)
        #expect(!sentences(epochs[0]).contains { $0[0].hasSuffix("GST") })
        #expect(sentences(epochs[0]).contains { $0[0] == "GAGSV" })
    }

    @Test func `the truth is a line of numbers`() throws {
        let second = try #require(try epochs("drive").dropFirst(10).first)
        #expect(TruthTable.line(of: second) == "2026-06-01T08:00:10.000Z,47.58002985,21.12018626,7.200,76.68,88.00\n")
    }
}
