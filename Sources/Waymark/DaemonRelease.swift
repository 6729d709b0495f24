import Interfaces
import Varlink

/// The daemon's release, protocol and features: `org.varlink.service.GetInfo`.
///
/// The library does not make a call with a parameter that an older daemon would ignore; it throws an error that says
/// which side to update. A program with an alternative can query the release first.
public struct DaemonRelease: Equatable, Sendable, CustomStringConvertible {
    /// The name of the program: `waymarkd`.
    public let product: String
    /// Its release, such as 0.1.0.
    public let version: String
    /// The names of its interfaces.
    public let interfaces: [String]
    /// The number of its protocol, larger for newer ones; 0 if it does not report one, as no release of Waymark does. Two
    /// programs have the protocol with the smaller number in common. `WaymarkVersion.protocolNumber` is this program's.
    public let protocolNumber: Int
    /// The features that it offers at present and that another daemon with this protocol may lack. It may have others
    /// that this release of the library does not know.
    public let features: Set<DaemonFeature>

    /// The release in a daemon's status, which does not list features.
    public init(_ status: DaemonStatus) {
        self.init(
            ServiceInfo(
                vendor: "", product: "waymarkd", version: status.version, url: "",
                protocolNumber: Int(clamping: status.protocol)))
    }

    /// The release in the information of a service.
    public init(_ info: ServiceInfo) {
        product = info.product
        version = info.version
        interfaces = info.interfaces
        protocolNumber = info.protocolNumber ?? 0
        features = Set(info.features.map(DaemonFeature.init))
    }

    /// Compares it with this program: negative if it is older, positive if it is newer, 0 if both are the same. With
    /// equal protocol numbers, the releases are compared.
    public var age: Int {
        let (spoken, own) = (protocolNumber, WaymarkVersion.protocolNumber)
        return spoken == own ? Self.compare(version, WaymarkVersion.text) : spoken < own ? -1 : 1
    }

    /// Release and protocol as text for a person.
    public var description: String { WaymarkVersion.describe(version, protocolNumber) }

    /// Compares releases number by number; a part that is no number counts as 0.
    static func compare(_ left: String, _ right: String) -> Int {
        let (left, right) = (numbers(left), numbers(right))
        for index in 0..<max(left.count, right.count) {
            let (one, other) = (index < left.count ? left[index] : 0, index < right.count ? right[index] : 0)
            if one != other { return one < other ? -1 : 1 }
        }
        return 0
    }

    private static func numbers(_ version: String) -> [Int] {
        // A suffix after a hyphen, plus or tilde identifies a build, not a release.
        version.prefix { $0.isNumber || $0 == "." }.split(separator: ".").map { Int($0) ?? 0 }
    }

    /// A sentence that advises which program to update; nil if both are the same.
    public var advice: String? {
        switch age {
        case ..<0: "Update the daemon, or restart it if that was done: `systemctl restart waymark`."
        case 0: nil
        default: "Update the program."
        }
    }

    /// A phrase that follows the daemon's name and says which of the two is older; nil if both are the same.
    public var difference: String? {
        age == 0 ? nil : "is \(age < 0 ? "older" : "newer") than this program, \(WaymarkVersion.described)"
    }

    /// Why something is not supported, in a sentence with the next step; nil if the release is not the reason.
    func explanation(of what: String) -> String? {
        guard let difference, let advice else { return nil }
        return "The Waymark daemon, \(description), \(difference): \(what). \(advice)"
    }
}

extension WaymarkClient {
    /// The daemon's release, protocol and features. Every program may call this.
    public func release(within timeout: Duration = .seconds(answerTime)) throws(WaymarkError) -> DaemonRelease {
        do throws(VarlinkError) {
            let client = try Client(path: socketPath, timeout: timeout)
            return DaemonRelease(try client.serviceInfo(timeout: timeout))
        } catch {
            throw WaymarkError(error, socketPath: socketPath)
        }
    }

    /// The error with an explanation: if another release of the daemon may be the reason, that is queried.
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
    /// What the other side does not support, if different releases may be the reason.
    fileprivate var misunderstanding: String? {
        switch self {
        case .reply("org.varlink.service.MethodNotFound", let parameters),
            .reply("org.varlink.service.MethodNotImplemented", let parameters):
            "it does not know \(parameters["method"]?.stringValue ?? "what was asked")"
        case .reply("org.varlink.service.InterfaceNotFound", let parameters):
            "it does not know \(parameters["interface"]?.stringValue ?? "what was asked")"
        case .reply("org.varlink.service.InvalidParameter", let parameters):
            "it does not take \(parameters["parameter"]?.stringValue ?? "a parameter") as it was given"
        case .unknownParameter(let parameter, let method):
            "it does not know \(parameter) of \(method), and would answer as if that were not said"
        case .protocolViolation(let what): "its answer cannot be understood: \(what)"
        default: nil
        }
    }
}
