import CWaymark
import Glibc
import Interfaces
import Platform
import SyncInterface

/// The numbers of errors in `waymark.h`, and their sentences.
enum ErrorCode {
    /// `WAYMARK_ERROR_INCOMPATIBLE`.
    static let incompatible = WAYMARK_ERROR_INCOMPATIBLE.rawValue

    /// The number of an error of the daemon, by its full name.
    static func code(of name: String) -> Int32 {
        switch name {
        case "org.varlink.service.MethodNotFound", "org.varlink.service.MethodNotImplemented",
            "org.varlink.service.InterfaceNotFound":
            return incompatible
        case "org.varlink.service.InvalidParameter": return -EINVAL
        case let name where name.hasPrefix(syncPrefix):
            return code(ofSync: String(name.dropFirst(syncPrefix.count)))
        default: return ErrorName(rawValue: name).flatMap(code)?.rawValue ?? WAYMARK_ERROR_OTHER.rawValue
        }
    }

    private static let syncPrefix = SyncInterface.name + "."

    /// The number of an error with which `waymark-sync` answers a call of `waymark.h`.
    private static func code(ofSync name: String) -> Int32 {
        switch name {
        case "InvalidArgument": -EINVAL
        case "NotAllowed": WAYMARK_ERROR_IDENTITY_NOT_ALLOWED.rawValue
        case "NoAccount": WAYMARK_ERROR_NO_ACCOUNT.rawValue
        case "NetworkUnavailable": WAYMARK_ERROR_HUB_UNAVAILABLE.rawValue
        case "ProtectedDataUnavailable": WAYMARK_ERROR_PROTECTED_DATA_UNAVAILABLE.rawValue
        case "NotStored": WAYMARK_ERROR_NOT_STORED.rawValue
        default: WAYMARK_ERROR_OTHER.rawValue
        }
    }

    /// The number of an error of the interfaces that `waymark.h` offers; nil for an error of another interface.
    private static func code(_ name: ErrorName) -> waymark_error? {
        switch name {
        case .denied: WAYMARK_ERROR_DENIED
        case .deniedGlobally: WAYMARK_ERROR_DENIED_GLOBALLY
        case .restricted: WAYMARK_ERROR_RESTRICTED
        case .notDetermined: WAYMARK_ERROR_NOT_DETERMINED
        case .notInUse: WAYMARK_ERROR_NOT_IN_USE
        case .manifestMissing: WAYMARK_ERROR_MANIFEST_MISSING
        case .accountSuspended: WAYMARK_ERROR_ACCOUNT_SUSPENDED
        case .accuracyReduced: WAYMARK_ERROR_ACCURACY_REDUCED
        case .purposeMissing: WAYMARK_ERROR_PURPOSE_MISSING
        case .requestInProgress: WAYMARK_ERROR_REQUEST_IN_PROGRESS
        case .notStored: WAYMARK_ERROR_NOT_STORED
        case .positionUnknown: WAYMARK_ERROR_POSITION_UNKNOWN
        case .timeout: WAYMARK_ERROR_TIMEOUT
        case .tooManyConnections: WAYMARK_ERROR_TOO_MANY_CONNECTIONS
        case .regionsNotAllowed: WAYMARK_ERROR_NOT_ALLOWED
        case .regionsNoSuchMonitor: WAYMARK_ERROR_NO_SUCH_MONITOR
        case .regionsInvalidIdentifier: WAYMARK_ERROR_INVALID_IDENTIFIER
        case .regionsInvalidRegion: WAYMARK_ERROR_INVALID_REGION
        case .regionsTooManyMonitors: WAYMARK_ERROR_TOO_MANY_MONITORS
        case .regionsTooManyRegions: WAYMARK_ERROR_TOO_MANY_REGIONS
        case .regionsNoSuchEvent: WAYMARK_ERROR_NO_SUCH_EVENT
        case .regionsRegionsUnavailable: WAYMARK_ERROR_REGIONS_UNAVAILABLE
        case .regionsProtectedDataUnavailable: WAYMARK_ERROR_PROTECTED_DATA_UNAVAILABLE
        case .regionsNotOperator: WAYMARK_ERROR_NOT_OPERATOR
        case .reachabilityUnavailable: WAYMARK_ERROR_NETWORK_UNAVAILABLE
        case .reachabilityInvalidHost: WAYMARK_ERROR_INVALID_HOST
        case .reachabilityOtherNetwork: WAYMARK_ERROR_OTHER_NETWORK
        case .reachabilityTooManyTargets: WAYMARK_ERROR_TOO_MANY_TARGETS
        case .wakingNotAllowed: WAYMARK_ERROR_NO_APP
        case .wakingNotDeclared: WAYMARK_ERROR_NOT_DECLARED
        case .wakingInvalidSubscription: WAYMARK_ERROR_INVALID_SUBSCRIPTION
        case .wakingTooManySubscriptions: WAYMARK_ERROR_TOO_MANY_SUBSCRIPTIONS
        case .wakingNoSuchEvent: WAYMARK_ERROR_NO_SUCH_WAKE
        case .wakingNotStored: WAYMARK_ERROR_WAKES_NOT_STORED
        case .identityNotAllowed: WAYMARK_ERROR_IDENTITY_NOT_ALLOWED
        case .identityPurposeMissing: WAYMARK_ERROR_PURPOSE_MISSING
        case .identityRequestInProgress: WAYMARK_ERROR_REQUEST_IN_PROGRESS
        case .identityNotStored: WAYMARK_ERROR_NOT_STORED
        default: nil
        }
    }

    /// The sentence about a result of a call to a peer, for a person.
    static func message(_ code: Int32, of peer: Peer = .daemon) -> String {
        if code >= 0 { return "Success." }
        switch code {
        case WAYMARK_ERROR_OTHER.rawValue: return "\(peer.subject) reported an error."
        case incompatible:
            return "\(peer.subject) is older than this program: update it, or restart it if that was done."
        default: break
        }
        if let message = messages.first(where: { $0.0.rawValue == code })?.1 { return message }
        // A program may pass any number.
        switch 0 &- code {
        case ENOENT, ECONNREFUSED: return "\(peer.subject) does not run: start it with `\(peer.startCommand)`."
        case ECONNRESET: return "\(peer.subject) ended the connection."
        case ETIMEDOUT: return "\(peer.subject) did not answer in time."
        case EPROTO, EMSGSIZE: return "The answer of \(peer.noun) cannot be understood."
        case ECHILD: return "The client belongs to the parent process: make a client of this process."
        case 1..<4096: return "\(SystemError.text(-code))."
        default: return "An unknown error."
        }
    }

    private static let messages: [(waymark_error, String)] = [
        (WAYMARK_ERROR_DENIED, "The app may not know where the machine is: `waymark apps` shows what is decided."),
        (WAYMARK_ERROR_DENIED_GLOBALLY, "Location services are off: turn them on with `waymark services on`."),
        (WAYMARK_ERROR_RESTRICTED, "A restriction of this machine forbids it: `waymark restrictions` shows it."),
        (WAYMARK_ERROR_NOT_DETERMINED, "Nobody has decided yet: request authorization."),
        (WAYMARK_ERROR_NOT_IN_USE, "It is allowed only while the app is in use: declare the activity first."),
        (WAYMARK_ERROR_MANIFEST_MISSING, "No manifest matches the program: install one, see waymark.app(5)."),
        (WAYMARK_ERROR_ACCOUNT_SUSPENDED, "The stored data of the program's user is not used: see `waymark users`."),
        (WAYMARK_ERROR_ACCURACY_REDUCED, "The app may have reduced accuracy only: request full accuracy."),
        (WAYMARK_ERROR_PURPOSE_MISSING, "The manifest lacks the text that the request needs: add it."),
        (WAYMARK_ERROR_REQUEST_IN_PROGRESS, "A prompt for this is already shown: wait for its answer."),
        (WAYMARK_ERROR_NOT_STORED, "It could not be stored and is not in force: try again later."),
        (WAYMARK_ERROR_POSITION_UNKNOWN, "There is no position at present: `waymark doctor` finds out why."),
        (WAYMARK_ERROR_TIMEOUT, "No position was available in time: try again, outdoors if this repeats."),
        (
            WAYMARK_ERROR_TOO_MANY_CONNECTIONS,
            "The program's user has too many connections, or calls that wait: end some calls."
        ),
        (WAYMARK_ERROR_NOT_ALLOWED, "The program is neither an app nor an operator's: install a manifest."),
        (WAYMARK_ERROR_NO_SUCH_MONITOR, "No monitor has this name: add a region first."),
        (WAYMARK_ERROR_INVALID_IDENTIFIER, "The name of the monitor or of a region is not valid: choose another."),
        (WAYMARK_ERROR_INVALID_REGION, "The shape is no region: correct the region that the message names."),
        (WAYMARK_ERROR_TOO_MANY_MONITORS, "The app has as many monitors as it may have: remove one."),
        (WAYMARK_ERROR_TOO_MANY_REGIONS, "There are as many regions as there may be: remove some."),
        (WAYMARK_ERROR_NO_SUCH_EVENT, "The monitor has no event with this number: use one that was reported."),
        (WAYMARK_ERROR_REGIONS_UNAVAILABLE, "Regions cannot be stored or read: `waymark status` shows why."),
        (WAYMARK_ERROR_NETWORK_UNAVAILABLE, "The kernel cannot be queried: the daemon's log says why."),
        (WAYMARK_ERROR_INVALID_HOST, "The host is neither a name nor an address: correct it."),
        (WAYMARK_ERROR_OTHER_NETWORK, "The program is in another network namespace: query an address, not a name."),
        (WAYMARK_ERROR_TOO_MANY_TARGETS, "The program's user watches too many hosts: end some calls."),
        (WAYMARK_ERROR_PROTECTED_DATA_UNAVAILABLE, "The data is locked: wait until somebody unlocks it."),
        (
            WAYMARK_ERROR_NO_APP,
            "Only apps are woken, and no manifest matches the program: install one, see waymark.app(5)."
        ),
        (WAYMARK_ERROR_NOT_DECLARED, "The app is not woken for it: add the cause to [Wake] For= of the manifest."),
        (
            WAYMARK_ERROR_INVALID_SUBSCRIPTION,
            "The cause needs no request, or has no valid host: see [Wake] in waymark.app(5)."
        ),
        (WAYMARK_ERROR_TOO_MANY_SUBSCRIPTIONS, "The app has requested as many hosts as it may: withdraw one first."),
        (WAYMARK_ERROR_NO_SUCH_WAKE, "The app has no event with this number: acknowledge one that was reported."),
        (WAYMARK_ERROR_WAKES_NOT_STORED, "The disk is full or broken, and nothing was changed: repeat it later."),
        (WAYMARK_ERROR_NOT_OPERATOR, "The call is for operators: run it as a member of the operators' group."),
        (
            WAYMARK_ERROR_IDENTITY_NOT_ALLOWED,
            "The program may not have this identifier: install a manifest for it, see waymark.app(5)."
        ),
        (WAYMARK_ERROR_NO_ACCOUNT, "This machine has joined no account: join one with `waymark join`."),
        (WAYMARK_ERROR_HUB_UNAVAILABLE, "The hub of the account cannot be reached: try again later."),
    ]
}
