import Cryptography
import Glibc
import Location
import Platform
import RegionStorage
import Regions
import Storage
import TestSupport

/// Very many stored regions: the import, their size, a start, and what a fix costs, beside SpatiaLite and PostGIS with the
/// same circles.
enum RegionBenchmark {
    private static let places = 100

    static func run(regions: Int) throws {
        print("load average of the last minute: \(ReachabilityBenchmark.loadAverage)")
        let data = RegionData(count: max(regions, RegionData.crossedAtOnce))
        let places = data.places(places)
        let directory = try TemporaryDirectory()
        let ours = try measureStore(data, places, in: directory.file("state"))
        try measureStart(of: directory.file("state"), against: directory.file("empty"))

        let file = directory.file("circles.csv")
        try data.write(to: file)
        var peers: [(name: String, figures: RegionFigures)] = []
        var found: [[String]] = []
        if let peer = try SpatiaLitePeer(in: directory) {
            let (figures, near) = try peer.load(file, data, places: places)
            peers.append(("SpatiaLite", figures))
            found.append(near)
        } else {
            print("SpatiaLite is not installed (Debian: libsqlite3-mod-spatialite)")
        }
        if let peer = try PostGISPeer() {
            do {
                let (figures, near) = try peer.load(file, data, places: places)
                peers.append(("PostGIS", figures))
                found.append(near)
            } catch {
                try peer.end()
                throw error
            }
            try peer.end()
        } else {
            print("PostGIS is not installed (Debian: postgresql-15-postgis-3)")
        }
        if found.count == 2 {
            let same = zip(found[0], found[1]).count { $0 == $1 }
            print("SpatiaLite and PostGIS find the same number of regions at \(same) of \(places.count) places")
        }
        ours.report(data.count, peers)
        print("load average of the last minute: \(ReachabilityBenchmark.loadAverage)")
    }

    /// The same regions in a sealed file and in a plain one, in alternating rounds.
    static func runSealed(regions: Int) throws {
        print("load average of the last minute: \(ReachabilityBenchmark.loadAverage)")
        let data = RegionData(count: max(regions, RegionData.crossedAtOnce))
        let places = data.places(places)
        for round in 1...3 {
            print("round \(round): plain, then sealed")
            let directory = try TemporaryDirectory()
            let plain = try measureStore(data, places, in: directory.file("plain"))
            let key = try SymmetricKey.random()
            let sealed = try measureStore(data, places, in: directory.file("sealed"), .sealed(key))
            plain.report(data.count, [("sealed", sealed)])
        }
        print("load average of the last minute: \(ReachabilityBenchmark.loadAverage)")
    }

    private static func measureStore(
        _ data: RegionData, _ places: [Coordinate], in directory: String, _ sealing: DatabaseSealing = .plain
    ) throws -> RegionFigures {
        var figures = RegionFigures()
        let store = try MeasuredRegionStore(directory, sealing)
        let began = SystemClock().monotonicNanoseconds
        try store.importAll(data)
        figures.importSeconds = Double(SystemClock().monotonicNanoseconds - began) / 1e9
        try store.determineAll()
        _ = try store.passes(at: places)
        let (times, most) = try store.passes(at: places)
        figures.pass = times.reduce(0, +) / Double(max(times.count, 1))
        print(
            "pass over a neighbourhood: \(Distribution(times.map { $0 * 1_000 }).milliseconds), \(most) regions at most"
        )
        figures.quietFix = try store.quietFix(at: places.last ?? RegionData.crossing)
        let (crossings, events) = try store.crossing(rounds: 20)
        figures.crossing = crossings.reduce(0, +) / Double(max(crossings.count, 1))
        print(
            "a fix that crosses \(events) borders: \(Distribution(crossings.map { $0 * 1_000 }).milliseconds), with the"
                + " events on the disk")
        try store.close()
        var status = stat()
        guard
            ["regions.sqlite", RegionStore.sealedFileName].contains(where: { stat("\(directory)/\($0)", &status) == 0 })
        else {
            throw SystemError("examine", subject: directory)
        }
        figures.megabytes = Double(status.st_size) / 1e6
        return figures
    }

    /// What a start with all regions needs more than one with none, each in a process of its own.
    private static func measureStart(of full: String, against empty: String) throws {
        let program = try Products.program("waymark-benchmark")
        var growth: [String: [Int]] = [:]
        for _ in 0..<5 {
            for folder in [empty, full] {
                let result = try CompletedProcess.run(program, ["regions-start", folder], seconds: 600)
                guard result.status.isSuccess, let figure = Int(result.output.split(separator: "\n").last ?? "") else {
                    throw RecordedRoute.Failure(description: "regions-start failed: \(result.error)")
                }
                growth[folder, default: []].append(figure)
            }
        }
        let medians = [empty, full].map { Distribution((growth[$0] ?? []).map(Double.init)).median }
        print(
            "resident memory that a start adds: \(Text.fixed(medians[1], 0)) KiB, \(Text.fixed(medians[0], 0)) KiB"
                + " without regions")
    }

    /// Opens a store and prints how many KiB of resident memory that has added: in a process of its own.
    static func start(_ directory: String) throws {
        let before = try ProcessFigures(getpid()).residentKiB
        let began = SystemClock().monotonicNanoseconds
        let store = try MeasuredRegionStore(directory)
        let regions = try store.load().monitors.reduce(0) { $0 + $1.regions }
        let milliseconds = Double(SystemClock().monotonicNanoseconds - began) / 1e6
        print("\(regions) regions, open after \(Text.fixed(milliseconds, 1)) ms")
        print(try ProcessFigures(getpid()).residentKiB - before)
        try store.close()
    }
}

extension RegionFigures {
    fileprivate func report(_ count: Int, _ peers: [(name: String, figures: RegionFigures)]) {
        print("\(count) regions:")
        let rows: [(String, (RegionFigures) -> Double?, Int)] = [
            ("import, s", { $0.importSeconds }, 1), ("on the disk, MB", { $0.megabytes }, 1),
            ("regions within 10 km, ms", { $0.pass }, 2), ("a fix that crosses nothing, µs", { $0.quietFix }, 3),
            ("a fix that crosses \(RegionData.crossedAtOnce), ms", { $0.crossing }, 2),
        ]
        for (title, value, digits) in rows {
            guard let own = value(self) else { continue }
            let others = peers.map { name, figures in
                guard let other = value(figures) else { return "\(name) -" }
                return "\(name) \(Text.fixed(other, digits)), ratio \(Text.fixed(other / max(own, 1e-9), 2))"
            }
            let line = ["\(Text.fixed(own, digits))"] + others
            print("  \(title)\(String(repeating: " ", count: max(1, 32 - title.count)))\(line.joined(separator: "; "))")
        }
    }
}
