import Interfaces
import Varlink
import Location
import Manifests
import Waymark

/// The facts about the presence or lack of a position, from which the diagnosis is made.
struct DoctorFacts {
    /// The daemon's reply.
    enum Daemon: Equatable {
        /// It sent its status.
        case answers(DaemonStatus)
        /// It replied, but refuses its status to this user.
        case refusesStatus
        /// There is no socket.
        case noSocket
        /// There is a socket without a listener.
        case nobodyListens
        /// This user has no permission to connect.
        case noPermission
        /// Another failure, described by the text.
        case fails(String)
    }

    /// The result of listening for positions.
    struct Listening: Equatable {
        /// The time of the newest position in seconds after this machine's clock; negative for a time before.
        var positionOffset: Double?
        /// Whether that position was simulated.
        var isSimulated = false
        /// The accuracy of that position, in metres.
        var accuracy: Double?
        /// The reasons for a missing position.
        var diagnostics: [LocationDiagnostic] = []
        /// Whether this user may have positions.
        var authorization = "notDetermined"
        /// The signals of the satellites seen, dB-Hz; nil without a report about satellites.
        var signals: [Double]?
        /// Reports of gpsd in that time.
        var reports: Int64 = 0
        /// Rejected reports in that time, by reason.
        var rejected: [VarlinkMap<Int64>.Entry] = []
        /// The duration in seconds.
        var seconds = 0.0
    }

    /// The reply of gpsd itself.
    enum GPSD: Equatable {
        /// Its version and its devices.
        case answers(version: String, devices: [String])
        /// There is no listener at the address.
        case refused
        /// It cannot be reached, for the reason in the text.
        case unreachable(String)
        /// The program at the address is not gpsd.
        case stranger
        /// None is configured.
        case unconfigured
    }

    /// A receiver's file.
    enum DeviceFile: Equatable {
        case usable
        case missing
        case notReadable
        /// It is no character device.
        case notADevice
    }

    /// The path of the daemon's socket.
    var socketPath = WaymarkSocket.defaultPath
    /// The daemon's reply.
    var daemon = Daemon.noSocket
    /// Its release, which it sends to every client; nil without a reply.
    var release: DaemonRelease?
    /// The daemon's message to a user who may not have positions; nil for a user who may.
    var refusal: String?
    /// How this user becomes an operator; nil where nothing was refused, or where that would not help.
    var operatorAdvice: String?
    /// The result of listening for positions; nil where that was impossible.
    var listening: Listening?
    /// The address of gpsd.
    var gpsdAddress = "localhost:2947"
    /// Whether that address is on this machine.
    var isGPSDLocal = true
    /// The reply of gpsd itself.
    var gpsd = GPSD.unconfigured
    /// The open access to gpsd for any user.
    var doors = GPSDDoors()
    /// Whether it serves only the daemon, so that an ordinary user cannot query it.
    var isGPSDClosed = false
    /// Whether a program gpsd is installed.
    var isGPSDInstalled = true
    /// The receivers' files, by path.
    var deviceFiles: [(path: String, state: DeviceFile)] = []
    /// The year of this machine's clock.
    var clockYear = 2026
    /// Whether location services are on; nil where this user may not know.
    var areServicesEnabled: Bool?
    /// The unanswered requests of apps.
    var requests: [OpenRequest] = []
    /// The users with stored data.
    var users: [KnownUser] = []
    /// The recordings of apps.
    var recordings: [KnownRecording] = []
    /// The state of data protection; nil where this user may not know.
    var protection: ProtectionInterface.Report?
    /// The time of the facts, in seconds since 1970.
    var now = 0.0
    /// The uploads.
    var uploads: [KnownUpload] = []
    /// The monitors of regions.
    var monitors: [Diagnosis.MonitorFacts] = []
    /// The restrictions of this machine.
    var restrictions = RestrictionRules()
    /// Problems of manifests.
    var manifestProblems: [FileProblem] = []
    /// Errors in the configuration.
    var configurationProblems: [String] = []
}
