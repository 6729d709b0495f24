import Interfaces
import Varlink
import Location
import Manifests
import Waymark

/// What was found out about why there is a position or none: everything the diagnosis is made from.
struct DoctorFacts {
    /// How the daemon answers.
    enum Daemon: Equatable {
        /// It says how it stands.
        case answers(DaemonStatus)
        /// It answers, but not to this user.
        case refusesStatus
        /// There is no socket.
        case noSocket
        /// There is a socket, and nobody listens.
        case nobodyListens
        /// This user may not connect.
        case noPermission
        /// Something else is wrong, in words.
        case fails(String)
    }

    /// What came while positions were asked for.
    struct Listening: Equatable {
        /// The newest position came so many seconds after the present of this machine's clock; negative where before.
        var positionOffset: Double?
        /// Whether that position was made.
        var isSimulated = false
        /// How accurate it was, metres.
        var accuracy: Double?
        /// Why there was none.
        var diagnostics: [String] = []
        /// Whether this user may have positions.
        var authorization = "notDetermined"
        /// The signals of the satellites seen, dB-Hz; nil where the receiver did not tell of satellites.
        var signals: [Double]?
        /// Reports that came from gpsd meanwhile.
        var reports: Int64 = 0
        /// Reports that were no fix meanwhile, by reason.
        var rejected: [VarlinkMap<Int64>.Entry] = []
        /// Seconds listened.
        var seconds = 0.0
    }

    /// What gpsd itself says when asked without the daemon.
    enum GPSD: Equatable {
        /// It answers: its version and its devices.
        case answers(version: String, devices: [String])
        /// Nobody listens there.
        case refused
        /// It cannot be reached, in words.
        case unreachable(String)
        /// Something answers that is no gpsd.
        case stranger
        /// None is configured.
        case unconfigured
    }

    /// A receiver's file.
    enum DeviceFile: Equatable {
        case usable
        case missing
        case notReadable
        /// No character device.
        case notADevice
    }

    /// Where the daemon listens.
    var socketPath = WaymarkSocket.defaultPath
    /// How it answers.
    var daemon = Daemon.noSocket
    /// Which release it is of, which it tells everybody; nil where it does not answer.
    var release: DaemonRelease?
    /// What the daemon said to a user who may not have positions; nil where he may.
    var refusal: String?
    /// How this user becomes an operator; nil where nothing was refused, or that is no way on.
    var operatorAdvice: String?
    /// What came while positions were asked for; nil where that was impossible.
    var listening: Listening?
    /// Where gpsd was looked for.
    var gpsdAddress = "localhost:2947"
    /// Whether that is this machine.
    var isGPSDLocal = true
    /// What gpsd itself says.
    var gpsd = GPSD.unconfigured
    /// By which doors any user can read it.
    var doors = GPSDDoors()
    /// Whether it serves nobody but the daemon, so that an ordinary user cannot ask it.
    var isGPSDClosed = false
    /// Whether a program gpsd is installed.
    var isGPSDInstalled = true
    /// The receivers' files, by path.
    var deviceFiles: [(path: String, state: DeviceFile)] = []
    /// The year of this machine's clock.
    var clockYear = 2026
    /// Whether location services are on; nil where that may not be known.
    var areServicesEnabled: Bool?
    /// What apps ask and nobody has answered.
    var requests: [OpenRequest] = []
    /// Of which users something is stored.
    var users: [KnownUser] = []
    /// What is recorded for apps.
    var recordings: [KnownRecording] = []
    /// When it was looked at, seconds since 1970.
    var now = 0.0
    /// What carries recordings elsewhere.
    var uploads: [KnownUpload] = []
    /// What this machine forbids.
    var restrictions = RestrictionRules()
    /// Manifests that do not count, or are not good.
    var manifestProblems: [FileProblem] = []
    /// What is wrong with the configuration.
    var configurationProblems: [String] = []
}
