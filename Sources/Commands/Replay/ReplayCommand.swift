import CommandLineKit
import Glibc
import Platform
import Replay

/// `waymark replay`: a recording instead of a receiver.
enum ReplayCommand {
    static let command = Command(
        "replay", "play a recording through a private gpsd and a private daemon",
        discussion: [
            "FILE is the output of a receiver: NMEA 0183 or any other protocol that gpsd reads. It is played through a"
                + " private gpsd and a private daemon, so that it does not reach the machine's own gpsd and its"
                + " programs. Every position is marked as simulated.",
            "Other programs can read it at the socket that is shown at the start: WAYMARK_SOCKET=PATH. After -- a"
                + " program can be given that is run with this variable; the replay ends with the program.",
            "Needs gpsd: apt-get install gpsd. Ctrl-C ends it with 130 and leaves nothing behind.",
        ],
        options: [
            Option(
                "speed",
                Value(
                    "N", .checked(expected: "a number above 0, or max") { Pace($0) != nil && Double($0) != 0 },
                    default: "1"),
                "so many times as fast, or max"),
            Option("loop", "begin again at the end, until interrupted"),
            Option("config", Value("FILE", .file), "settings of the private daemon, such as where it finds manifests"),
            CommonOptions.json,
            Option("quiet", short: "q", "show no positions"),
        ],
        arguments: [Command.Argument(Value("FILE", .file), "the recording")],
        trailing: Command.Argument(Value("COMMAND"), "a program to run meanwhile, with its arguments"),
        examples: [
            Command.Example("waymark replay Tests/Fixtures/drive.nmea --speed 10", "A drive, ten times as fast."),
            Command.Example("waymark replay walk.nmea -- waymark export --format gpx", "The walk as a GPX file."),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        let invocation = session.invocation
        guard let path = invocation.argument("FILE"), let pace = Pace(invocation.text("speed") ?? "1") else { return }
        let interruption = try session.interruption()
        let directory: ScratchDirectory
        do throws(SystemError) { directory = try ScratchDirectory() } catch { throw CommandFailure(error) }
        // Only this user may enter it, because the replayed positions are private.
        let recording: RecordingFile
        let replay: ReplaySession
        do throws(ReplayError) {
            recording = try RecordingFile(path: path)
            replay = try ReplaySession(
                recording, pace: pace, loops: invocation.has("loop"), socket: directory.file("gpsd.sock"))
        } catch {
            throw CommandFailure(error)
        }
        defer { stop(replay, session) }
        let daemon = try PrivateDaemon(in: directory, gpsd: replay.gpsd.address, settings: invocation.text("config"))
        defer { daemon.stop() }
        let seconds = Double(recording.durationNanoseconds) / 1e9
        session.remarks.say(
            "Replaying \(path) (\(Measure.age(seconds))) through a private gpsd: every position is simulated.")
        session.remarks.say("Other programs can read it with WAYMARK_SOCKET=\(daemon.socketPath)")
        var player = try ReplayPlayer(session, replay, daemon, interruption)
        try player.play(invocation.trailing)
    }

    private static func stop(_ replay: ReplaySession, _ session: Session) {
        do throws(ReplayError) { try replay.stop() } catch { session.remarks.say("waymark: \(error)") }
    }
}

extension CommandFailure {
    /// The failure of a replay.
    init(_ error: ReplayError) {
        let name =
            switch error {
            case .unreadable: "Unreadable"
            case .empty: "Empty"
            case .tooLarge: "TooLarge"
            case .system: "SystemFailed"
            case .gpsdMissing: "GPSDMissing"
            case .gpsdNotReady, .gpsdEnded: "GPSDFailed"
            }
        self = .failed(name, error.description)
    }
}
