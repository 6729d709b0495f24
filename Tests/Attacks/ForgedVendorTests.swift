import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// A user's own manifest that names a vendor of the system's, to get the identifier of that vendor's apps.
@Suite(.waits, .enabled(if: PersonalScene.isPossible, "starting programs as another user needs root"))
struct ForgedVendorTests {
    private let scene: PersonalScene
    private let daemon: DaemonProcess
    private let map: String
    private let forger: String

    init() throws {
        scene = try PersonalScene()
        (map, forger) = (try scene.apps.program("map"), try scene.apps.program("forger"))
        try scene.apps.add("map", name: "Map", program: map, "Vendor=org.example")
        try scene.write("forger.app", Self.forged(forger))
        try scene.write("harmless.app", "[App]\nName=Harmless\nUserUnit=harmless.service\n")
        daemon = try scene.start()
    }

    private static func forged(_ program: String) -> String {
        "[App]\nName=Forger\nExec=\(program)\nVendor=org.example\n"
    }

    private func identifier(_ program: String, as user: uid_t = PersonalScene.person) throws -> String {
        let client = try AppClient(program, to: daemon.socketPath, as: user)
        let reply = try client.call(IdentityInterface.Method.getIdentifierForVendor.rawValue)
        #expect(reply.error == nil, "\(reply.parameters) \(daemon.log)")
        return try IdentityInterface.GetIdentifierForVendor.reply(reply.parameters).identifier
    }

    private func listed() throws -> [ManageInterface.IdentifierQuery] {
        try OperatorClient(daemon).call(ManageInterface.ListIdentifiers()).identifiers
    }

    @Test func `an app of a user's own gets an unrelated identifier for the vendor that it names`() throws {
        let (genuine, forged) = (try identifier(map), try identifier(forger))
        #expect(genuine != forged)
        #expect(try listed().map(\.isPersonal) == [true, false], "operators see which is the user's own")
        // Even after the system's app is removed, and while no daemon runs.
        #expect(try daemon.stop() == .exited(0))
        #expect(unlink(scene.apps.directory.file("apps/map.app")) == 0)
        try daemon.restart()
        #expect(try identifier(forger) == forged)
        #expect(try eventually(within: Patience.daemon) { try listed().map(\.app) == ["forger"] }, "\(daemon.log)")
    }

    @Test
    func `an app that names another vendor may not track because of that, and is not asked about to its own user`()
        throws
    {
        let advertising = IdentityInterface.Method.getAdvertisingIdentifier.rawValue
        func received(_ program: String) throws -> IdentityInterface.GetAdvertisingIdentifier.Reply {
            let reply = try AppClient(program, to: daemon.socketPath, as: PersonalScene.person).call(advertising)
            #expect(reply.error == nil, "\(reply.parameters) \(daemon.log)")
            return try IdentityInterface.GetAdvertisingIdentifier.reply(reply.parameters)
        }
        let manage = try OperatorClient(daemon)
        _ = try manage.call(
            ManageInterface.AuthorizeTracking(app: "map", uid: PersonalScene.person, status: .allow))
        let genuine = try received(map)
        #expect(genuine.status == .authorized && genuine.identifier != "\(UniqueID.zero)")
        let forged = try received(forger)
        #expect(forged.status == .notDetermined && forged.identifier == "\(UniqueID.zero)")
        // The user is not at the machine: an operator is asked about an app of the user's own.
        try scene.write(
            "forger.app", Self.forged(forger) + "UserTrackingUsageDescription=Sells walking boots to hikers.\n")
        let client = try AppClient(forger, to: daemon.socketPath, as: PersonalScene.person)
        #expect(try client.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#).error == nil)
        let isListed = try eventually(within: Patience.daemon) {
            try client.call(IdentityInterface.Method.requestTrackingAuthorization.rawValue)
                .parameters["obstacle"] == "agentUnavailable"
        }
        #expect(isListed, "\(daemon.log)")
        #expect(try manage.requests().map(\.kind) == [.tracking] && manage.requests().allSatisfy { !$0.isShown })
    }

    @Test func `a home that is not there is no removal, and a manifest that is not there is one`() throws {
        let forged = try identifier(forger)
        let (home, hidden) = (scene.apps.directory.file("home"), scene.apps.directory.file("hidden"))
        #expect(try daemon.stop() == .exited(0))
        #expect(rename(home, hidden) == 0)
        try daemon.restart()
        // The home was looked up when another program of the user has a reply.
        let refused = try AppClient(forger, to: daemon.socketPath, as: PersonalScene.person)
            .call(IdentityInterface.Method.getIdentifierForVendor.rawValue)
        #expect(refused.error == ErrorName.identityNotAllowed.rawValue)
        #expect(try listed().map(\.app) == ["forger"])
        #expect(try daemon.stop() == .exited(0))
        #expect(rename(hidden, home) == 0)
        try daemon.restart()
        #expect(try identifier(forger) == forged)
        try scene.write("forger.app", nil)
        #expect(try eventually(within: Patience.daemon) { try listed().isEmpty }, "\(daemon.log)")
        try scene.write("forger.app", Self.forged(forger))
        #expect(
            try eventually(within: Patience.daemon) { try OperatorClient(daemon).app("forger")?.manifest != nil })
        #expect(try identifier(forger) != forged)
    }

    @Test func `identifiers are erased with the user's other data, and refused while an account is suspended`() throws {
        let (genuine, forged) = (try identifier(map), try identifier(forger))
        try OperatorClient(daemon).call(ManageInterface.EraseUser(uid: PersonalScene.person))
        #expect(try listed().isEmpty)
        let again = try [identifier(map), identifier(forger)]
        #expect(Set(again + [genuine, forged]).count == 4)
        // An account is removed: its identifiers stay, and no program receives them.
        _ = try identifier(map, as: PersonalScene.neighbour)
        try scene.apps.directory.overwrite("passwd", "root:x:0:0::/root:/bin/sh\n")
        let client = try AppClient(map, to: daemon.socketPath, as: PersonalScene.neighbour)
        let isRefused = try eventually(within: Patience.daemon) {
            let reply = try client.call(IdentityInterface.Method.getIdentifierForVendor.rawValue)
            return reply.error == ErrorName.identityNotAllowed.rawValue
                && reply.parameters["message"]?.stringValue?.contains("waymark users") == true
        }
        #expect(isRefused, "\(daemon.log)")
        #expect(try listed().count { $0.uid == PersonalScene.neighbour } == 1)
    }
}
