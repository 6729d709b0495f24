import Glibc
import Platform
import TestClients
import TestSupport
import Testing

/// A daemon for which `nobody` has a home with manifests of their own.
struct PersonalScene {
    static let person = OtherUser.nobody
    /// Another user with an account: user ids without an account are not treated as persons.
    static let neighbour: uid_t = 45_679
    /// Where systemd has the units of that user's own manager.
    static let slice = "/user.slice/user-\(person).slice/user@\(person).service/app.slice"

    /// The conditions for such a user.
    static var isPossible: Bool { OtherUser.isPossible && Capability.administer.isHeld }

    let apps: TestApps
    private let home = "home/.config/waymark/apps"

    init() throws {
        apps = try TestApps()
        try apps.directory.write("\(home)/README", "")
        for name in ["home", "home/.config", "home/.config/waymark", home] {
            #expect(chown(apps.directory.file(name), Self.person, Self.person) == 0)
        }
    }

    /// Starts the daemon, of which the group of this number is the operators'.
    func start(agents: [String] = [], gpsd: String = "none") throws -> DaemonProcess {
        var surroundings = DaemonSurroundings()
        surroundings.knowsLogins = false
        surroundings.userDatabase = try apps.directory.write(
            "passwd",
            "root:x:0:0::/root:/bin/sh\nnobody:x:\(Self.person):\(Self.person)::\(apps.directory.file("home")):/bin/sh\n"
                + "neighbour:x:\(Self.neighbour):\(Self.neighbour)::/nonexistent:/bin/sh\n"
        )
        return try DaemonProcess(
            in: apps.directory,
            configuration: apps.configuration(agents: agents, personalManifests: true) + "OperatorGroup=games\n",
            gpsd: gpsd, surroundings: surroundings)
    }

    /// The number of the operators' group.
    static func operators() throws -> gid_t { try #require(try PeerIdentity.groupID(named: "games")) }

    /// Writes a file into the user's folder as that user would, or removes it.
    func write(_ name: String, _ text: String?) throws {
        let path = apps.directory.file("\(home)/\(name)")
        guard let text else {
            #expect(unlink(path) == 0)
            return
        }
        try apps.directory.write("\(home)/\(name)", text)
        #expect(chown(path, Self.person, Self.person) == 0)
    }
}
