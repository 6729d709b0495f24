import Glibc
import Interfaces
import JSONText
import Platform
import TestClients
import TestSupport
import Varlink

/// A client that may not have positions, and why.
enum Stranger: CaseIterable {
    case unidentified, ambiguous, undetermined, denied, restricted, unreadableRestriction, servicesOff, notInUse
    case manifestRemoved, insufficientlyProved
    /// A member of the operators' group who runs root's app in its unit, and has an empty manifest of its name at home.
    case operatorWithPersonalName
    /// A number that no account has, as those of containers.
    case withoutAccount
    /// An app of a user whose account was removed after the app was allowed everything.
    case removedAccount
    /// An app that only its user's manifest names, where no person is at the machine.
    case unattended
    /// The same, where root forbids the app of that name, and where root allows only the one of that name.
    case personalOfDeniedName, personalOfAllowedName
    /// A program in a user namespace of its own that shows the link of the app's program, and one that claims its
    /// memory.
    case foreignNamespace, forgedProgram

    /// The strangers that are possible on this machine.
    static var possible: [Stranger] {
        allCases.filter { stranger in
            (!stranger.isForged || UserNamespace.isPossible && !Sanitizer.isActive)
                && (!stranger.isPersonal || PersonalScene.isPossible)
                && (stranger != .operatorWithPersonalName || TemporaryControlGroup.hierarchy != nil)
        }
    }

    /// The error of every call that would reveal the position of the machine.
    var refusal: ErrorName {
        switch self {
        case .unidentified, .ambiguous, .manifestRemoved, .insufficientlyProved, .foreignNamespace, .forgedProgram:
            .manifestMissing
        case .undetermined, .operatorWithPersonalName, .withoutAccount, .unattended: .notDetermined
        case .denied: .denied
        case .restricted, .unreadableRestriction, .personalOfDeniedName, .personalOfAllowedName: .restricted
        case .servicesOff: .deniedGlobally
        case .notInUse: .notInUse
        case .removedAccount: .accountSuspended
        }
    }

    /// The reported status of its authorization.
    var status: JSON {
        switch self {
        case .unidentified, .ambiguous, .manifestRemoved, .insufficientlyProved, .undetermined,
            .operatorWithPersonalName,
            .removedAccount, .withoutAccount, .unattended, .foreignNamespace, .forgedProgram:
            "notDetermined"
        case .denied, .servicesOff: "denied"
        case .restricted, .unreadableRestriction, .personalOfDeniedName, .personalOfAllowedName: "restricted"
        case .notInUse: "authorizedWhenInUse"
        }
    }

    /// Whether the daemon identifies it as an app.
    var isApp: Bool { refusal != .manifestMissing && refusal != .accountSuspended }

    /// Whether root has no manifest for it.
    var hasNoManifest: Bool {
        switch self {
        case .unidentified, .unattended, .personalOfDeniedName, .personalOfAllowedName: true
        default: false
        }
    }

    /// Whether there is no decision for it before it connects.
    var isUndecided: Bool {
        switch self {
        case .undetermined, .denied, .operatorWithPersonalName, .withoutAccount: true
        default: hasNoManifest
        }
    }

    /// Whether its user has manifests of their own.
    var isPersonal: Bool {
        switch self {
        case .operatorWithPersonalName, .unattended, .personalOfDeniedName, .personalOfAllowedName, .removedAccount:
            true
        default: false
        }
    }

    /// As which user it connects.
    var userID: uid_t { self == .removedAccount ? PersonalScene.neighbour : OtherUser.nobody }

    /// Whether it is a program that pretends to be another one.
    var isForged: Bool { self == .foreignNamespace || self == .forgedProgram }

    /// Whether each call is made by a new program.
    var isProgram: Bool { isForged || self == .operatorWithPersonalName }

    /// The unit by which root's manifest names it.
    static let unit = "trailmap-\(getpid())-\(Int.random(in: 0..<1_000_000_000)).service"

    /// The program that the manifest names: the test's own, or the one that is pretended.
    func identified(_ apps: TestApps) throws -> String {
        isForged ? try Self.pretended(apps) : try TestApps.ownProgram()
    }

    private static func pretended(_ apps: TestApps) throws -> String {
        let path = apps.directory.file("bin/pretended")
        return access(path, F_OK) == 0 ? path : try apps.program("pretended")
    }

    /// A connection of its own to a daemon.
    func channel(
        _ apps: TestApps, _ daemon: DaemonProcess, in group: TemporaryControlGroup? = nil
    ) throws -> any WalkedChannel {
        switch self {
        case .foreignNamespace: try forged("namespace", apps, daemon)
        case .forgedProgram: try forged("memory", apps, daemon)
        case .operatorWithPersonalName:
            ProgramChannel(try member(apps, daemon, group))
        case .withoutAccount:
            SocketChannel(try RawConnection(adopting: OtherUser.connect(to: daemon.socketPath, as: 165_537)))
        default: SocketChannel(try RawConnection(adopting: OtherUser.connect(to: daemon.socketPath, as: userID)))
        }
    }

    /// A program of a member of the operators' group, in the unit of root's app.
    private func member(
        _ apps: TestApps, _ daemon: DaemonProcess, _ group: TemporaryControlGroup?
    ) throws -> ProgramClient {
        let path = apps.directory.file("bin/member")
        let program = access(path, F_OK) == 0 ? path : try apps.program("member")
        let client = try ProgramClient(
            program, to: daemon.socketPath, as: OtherUser.nobody, groups: [PersonalScene.operators()])
        try group?.write("\(client.processID)", to: "cgroup.procs")
        return client
    }

    private func forged(_ how: String, _ apps: TestApps, _ daemon: DaemonProcess) throws -> ProgramChannel {
        let attacker = apps.directory.file("bin/attacker")
        let program = access(attacker, F_OK) == 0 ? attacker : try apps.program("attacker")
        return ProgramChannel(
            try ProgramClient(
                program, to: daemon.socketPath, as: OtherUser.nobody, arguments: [how, try Self.pretended(apps)]))
    }
}
