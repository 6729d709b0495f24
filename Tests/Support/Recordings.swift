import Platform

extension Products {
    /// A recording made for one test by the simulator of this package: a scenario with more options than its fixture.
    public static func recording(
        _ scenario: String, seconds: Int, _ more: [String] = [], in directory: TemporaryDirectory
    ) throws -> String {
        let path = directory.file("\(scenario).nmea")
        let made = try CompletedProcess.run(
            try program("waymark-simulator"),
            ["make", scenario, "--duration", "\(seconds)", "--output", path] + more, seconds: 300)
        guard made.status.isSuccess else {
            throw Missing(description: "\(path) was not made, \(made.status): \(made.error)")
        }
        return path
    }
}
