import Glibc
import Location
import Platform
import TestSupport

/// A program that runs a script of SQL, and the time that statements in it take: that of a script with them, less that of
/// one without.
struct SQLShell {
    let program: String
    let arguments: [String]
    /// What each script begins with.
    let preamble: String

    /// Runs statements, and returns the seconds and the output.
    @discardableResult
    func run(_ statements: String) throws -> (seconds: Double, output: String) {
        let began = SystemClock().monotonicNanoseconds
        let result = try CompletedProcess.run(program, arguments, input: preamble + statements, seconds: 3_600)
        let seconds = Double(SystemClock().monotonicNanoseconds - began) / 1e9
        guard result.status.isSuccess, result.error.isEmpty else {
            throw RecordedRoute.Failure(description: "\(program) failed: \(result.error.prefix(2_000))")
        }
        return (seconds, result.output)
    }

    /// The mean seconds of each of these statements, without those of the program's start.
    func mean(of statements: [String]) throws -> Double {
        // Once before, so that the indices are in memory.
        try run(statements.joined(separator: "\n"))
        let empty = try run("").seconds
        return max(0, try run(statements.joined(separator: "\n")).seconds - empty) / Double(max(statements.count, 1))
    }
}

/// The questions that the store answers, for a database with an extension for places.
protocol RegionQueries {
    /// How many regions have a border within 10 km.
    func near(_ place: Coordinate) -> String
    /// How many regions contain a place: what a program asks at each fix that has nothing in memory.
    func containing(_ place: Coordinate) -> String
    /// Stores an event for each region that contains a place, durably.
    func recordCrossing(_ place: Coordinate) -> String
}

extension RegionQueries {
    /// Measures the queries. The first numbers of regions near each place are compared by the caller.
    func figures(_ shell: SQLShell, _ data: RegionData, places: [Coordinate]) throws -> RegionFigures {
        var figures = RegionFigures()
        figures.pass = try shell.mean(of: places.map(near)) * 1_000
        let fixes = (0..<10).flatMap { _ in places }
        figures.quietFix = try shell.mean(of: fixes.map(containing)) * 1e6
        figures.crossing = try shell.mean(of: (0..<20).map { _ in recordCrossing(RegionData.crossing) }) * 1_000
        return figures
    }
}
