import Platform
import TestSupport

/// A program in C that sends the same as an uploader for the same positions.
struct DrainPeer {
    private let format: DrainFormat
    private let program: String
    private let bodies: String
    private let count: Int
    private let points: Int
    private let headers: [String]

    init(_ format: DrainFormat, of route: RecordedRoute, points: Int, in directory: TemporaryDirectory) throws {
        self.format = format
        self.points = points
        program =
            format == .mqtt
            ? try PeerProgram.compile("mosquitto-drain", libraries: ["libmosquitto"], in: directory)
            : try PeerProgram.compile("curl-drain", libraries: ["libcurl"], in: directory)
        let bodies = try DrainBodies(format, of: route, points: points)
        count = bodies.count
        headers = bodies.headers
        self.bodies = try directory.write("\(format.rawValue).bodies", bytes: bodies.text)
    }

    /// Sends it all to a server of its own.
    func drain() throws -> Drain {
        let server = try DrainServer(for: format)
        let before = try server.processorSeconds
        let arguments =
            format == .mqtt
            ? ["127.0.0.1", "\(server.port)", "owntracks/jane/boat", bodies, "\(count)", "\(DrainFormat.window)"]
            : [format.url(port: server.port), bodies, "\(count)", server.authority ?? "-"] + headers
        let run = try CompletedProcess.run(program, arguments, seconds: 600)
        let figures = run.output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard run.status.isSuccess, figures.count == 2 else {
            throw OwnNetwork.Unavailable(description: "the peer failed: \(run.error)")
        }
        let drain = Drain(
            seconds: figures[0], processorSeconds: figures[1], serverSeconds: try server.processorSeconds - before)
        try server.end(expecting: points)
        return drain
    }
}
