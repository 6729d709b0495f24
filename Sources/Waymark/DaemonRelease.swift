import Interfaces
import Varlink

/// Which release the daemon is of, which protocol it speaks, and what it offers: `org.varlink.service.GetInfo`.
///
/// The library does not make a call with a parameter that an older daemon would pass over, and says which side to
/// update. A program asks for this where it would rather do something else than fail.
public struct DaemonRelease: Equatable, Sendable, CustomStringConvertible {
    /// What it is called: `waymarkd`.
    public let product: String
    /// Its release, as 0.1.0.
    public let version: String
    /// The interfaces it has.
    public let interfaces: [String]
    /// The protocol that the daemon speaks, larger for newer; 0 if it reports none, as no release of Waymark does. Two
    /// programs have the smaller of their numbers in common: `WaymarkVersion.protocolNumber` is this program's.
    public let protocolNumber: Int
    /// What it offers at present that another daemon of this protocol may not. There may be some that this release of
    /// the library does not know.
    public let features: Set<DaemonFeature>

    /// What a daemon says of itself in its status, which does not list what it offers.
    public init(_ status: DaemonStatus) {
        self.init(
            ServiceInfo(
                vendor: "", product: "waymarkd", version: status.version, url: "",
                protocolNumber: Int(clamping: status.protocol)))
    }

    /// What a service says of itself.
    public init(_ info: ServiceInfo) {
        product = info.product
        version = info.version
        interfaces = info.interfaces
        protocolNumber = info.protocolNumber ?? 0
        features = Set(info.features.map(DaemonFeature.init))
    }

    /// How it stands to this program's: negative where it is older, positive where it is newer, 0 where it is the same.
    /// Where both speak one protocol, the releases are compared.
    public var age: Int {
        let (spoken, own) = (protocolNumber, WaymarkVersion.protocolNumber)
        return spoken == own ? Self.compare(version, WaymarkVersion.text) : spoken < own ? -1 : 1
    }

    /// Release and protocol, for a person.
    public var description: String { WaymarkVersion.describe(version, protocolNumber) }

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

    /// What to do about it where one of the two is older, in a sentence; nil where they are the same.
    public var advice: String? {
        switch age {
        case ..<0: "Update the daemon, or restart it if that was done: `systemctl restart waymark`."
        case 0: nil
        default: "Update the program."
        }
    }

    /// That one of the two is older, in words that go after the daemon; nil where they are the same.
    public var difference: String? {
        age == 0 ? nil : "is \(age < 0 ? "older" : "newer") than this program, \(WaymarkVersion.described)"
    }

    /// Why something is not understood, in a sentence with what to do; nil where it is not for the release.
    func explanation(of what: String) -> String? {
        guard let difference, let advice else { return nil }
        return "The Waymark daemon, \(description), \(difference): \(what). \(advice)"
    }
}

extension WaymarkClient {
    /// Which release the daemon is of, which protocol it speaks, and what it offers. Everybody may ask.
    public func release(within timeout: Duration = .seconds(answerTime)) throws(WaymarkError) -> DaemonRelease {
        do throws(VarlinkError) {
            let client = try Client(path: socketPath, timeout: timeout)
            return DaemonRelease(try client.serviceInfo(timeout: timeout))
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
        case .unknownParameter(let parameter, let method):
            "it does not know \(parameter) of \(method), and would answer as if that were not said"
        case .protocolViolation(let what): "its answer cannot be understood: \(what)"
        default: nil
        }
    }
}
