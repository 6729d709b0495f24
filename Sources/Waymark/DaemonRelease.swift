import Interfaces
import Varlink

/// Which release the daemon is of, and what it offers: `org.varlink.service.GetInfo`.
public struct DaemonRelease: Equatable, Sendable {
    /// What it is called: `waymarkd`.
    public let product: String
    /// Its release, as 0.1.0.
    public let version: String
    /// The interfaces it has, by which it can be told what it can do.
    public let interfaces: [String]

    init?(_ reply: JSON) {
        guard let product = reply["product"]?.stringValue, let version = reply["version"]?.stringValue,
            let interfaces = reply["interfaces"]?.arrayValue
        else { return nil }
        self.product = product
        self.version = version
        self.interfaces = interfaces.compactMap(\.stringValue)
    }

    /// How it stands to this program's: negative where it is older, positive where it is newer, 0 where it is the same.
    public var age: Int { Self.compare(version, WaymarkVersion.text) }

    /// Compares releases number by number; what is no number counts as 0.
    static func compare(_ left: String, _ right: String) -> Int {
        let (left, right) = (numbers(left), numbers(right))
        for index in 0..<max(left.count, right.count) {
            let (one, other) = (index < left.count ? left[index] : 0, index < right.count ? right[index] : 0)
            if one != other { return one < other ? -1 : 1 }
        }
        return 0
    }

    private static func numbers(_ version: String) -> [Int] {
        // What comes behind a hyphen, plus or tilde is of a build, not of a release.
        version.prefix { $0.isNumber || $0 == "." }.split(separator: ".").map { Int($0) ?? 0 }
    }

    /// Why something is not understood, in a sentence with what to do; nil where it is not for the release.
    func explanation(of what: String) -> String? {
        switch age {
        case ..<0:
            "The Waymark daemon is of release \(version), older than this program's \(WaymarkVersion.text): \(what)."
                + " Update the daemon, or restart it if that was done: `systemctl restart waymark`."
        case 0: nil
        default:
            "The Waymark daemon is of release \(version), newer than this program's \(WaymarkVersion.text): \(what)."
                + " Update the program."
        }
    }
}

extension WaymarkClient {
    /// Which release the daemon is of, and what it offers. Everybody may ask.
    public func release() throws(WaymarkError) -> DaemonRelease {
        do throws(VarlinkError) {
            let client = try Client(path: socketPath, timeout: .seconds(Self.answerTime))
            let reply = try client.call("org.varlink.service.GetInfo", timeout: .seconds(Self.answerTime))
            guard let release = DaemonRelease(reply) else {
                throw VarlinkError.protocolViolation("a service without a version")
            }
            return release
        } catch {
            throw WaymarkError(error, socketPath: socketPath)
        }
    }

    /// The same error; where it may come of the daemon's being of another release, what that is was looked up.
    public func explained(_ error: VarlinkError) -> WaymarkError {
        let plain = WaymarkError(error, socketPath: socketPath)
        guard let what = error.misunderstanding else { return plain }
        do throws(WaymarkError) {
            guard let message = try release().explanation(of: what) else { return plain }
            return .incompatible(message: message)
        } catch {
            return plain
        }
    }
}

extension VarlinkError {
    /// What was not understood, where client and daemon may be of different releases.
    fileprivate var misunderstanding: String? {
        switch self {
        case .reply("org.varlink.service.MethodNotFound", let parameters),
            .reply("org.varlink.service.MethodNotImplemented", let parameters):
            "it does not know \(parameters["method"]?.stringValue ?? "what was asked")"
        case .reply("org.varlink.service.InterfaceNotFound", let parameters):
            "it does not know \(parameters["interface"]?.stringValue ?? "what was asked")"
        case .reply("org.varlink.service.InvalidParameter", let parameters):
            "it does not take \(parameters["parameter"]?.stringValue ?? "a parameter") as it was given"
        case .protocolViolation(let what): "its answer cannot be understood: \(what)"
        default: nil
        }
    }
}
