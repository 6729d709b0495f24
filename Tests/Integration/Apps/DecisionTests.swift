import Glibc
import Interfaces
import JSONText
import Location
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// The decisions of an operator about apps, at a daemon with manifests of the test.
@Suite(.waits) struct DecisionTests {
    private let apps: TestApps

    init() throws {
        apps = try TestApps()
        try apps.add("trailmap", name: "Trail Map", program: "/usr/bin/trailmap", "Name[ko]=등산 지도")
    }

    private func start() throws -> DaemonProcess {
        try DaemonProcess(in: apps.directory, configuration: apps.configuration())
    }

    @Test func `a decision for an app is listed, and deleted by a reset`() throws {
        let daemon = try start()
        let manage = try OperatorClient(daemon)
        let unused = try #require(try manage.app("trailmap"))
        #expect(unused.uid == nil && unused.name == "Trail Map" && unused.permission == .notDetermined)
        #expect(unused.manifest == apps.directory.file("apps/trailmap.app"))

        let app = try manage.authorize("trailmap", .whileUsing, uid: 1_000, accuracy: .reduced)
        #expect(app.uid == 1_000 && app.permission == .whenInUse && app.accuracy == .reduced)
        #expect(app.status == .authorizedWhenInUse && app.decidedBy == "operator" && app.decidedByUid == geteuid())
        #expect(try #require(app.decidedAt) > 1_700_000_000)
        #expect(try manage.app("trailmap") == app)
        #expect(try manage.authorize("trailmap", .always).accuracy == .reduced, "of its only user, as exact as it was")
        #expect(try manage.authorize("trailmap", .deny).status == .denied)

        let reset = try manage.call(ManageInterface.Reset(app: "trailmap", uid: 1_000)).app
        #expect(reset.permission == .notDetermined && reset.decidedBy == nil)
    }

    @Test func `a reset of everything reports the number of apps with stored data`() throws {
        let daemon = try start()
        let manage = try OperatorClient(daemon)
        #expect(try manage.call(.resetAll)["count"] == 0)
        for uid in [1_000, 1_001, 1_002] as [UInt32] { try manage.authorize("trailmap", .always, uid: uid) }
        #expect(try manage.call(.resetAll)["count"] == 3)
        #expect(try manage.list().apps.allSatisfy { $0.permission == .notDetermined })
        #expect(try manage.call(.resetAll)["count"] == 0)
    }

    @Test func `without a user the call applies to the only user of the app, or else fails with the choices`() throws {
        try apps.directory.write("apps/tracker.app", "[App]\nName=Tracker\nUnit=tracker.service\n")
        let daemon = try start()
        let manage = try OperatorClient(daemon)
        let nobody = try #require(try Refusal { try manage.authorize("trailmap", .always) })
        #expect(nobody.error == .manageUserNeeded && nobody.parameters["uids"] == [])
        try manage.authorize("trailmap", .always, uid: 1_001)
        try manage.authorize("trailmap", .always, uid: 1_000)
        let several = try #require(try Refusal { try manage.authorize("trailmap", .always) })
        #expect(several.error == .manageUserNeeded && several.parameters["uids"] == [1_000, 1_001])
        #expect(several.parameters["app"] == "trailmap")
        #expect(try manage.authorize("tracker", .always).uid == 0, "a system service is nobody's")
        #expect(try manage.authorize("tracker", .deny, uid: 0).uid == 0)
        let users = try #require(try Refusal { try manage.authorize("tracker", .always, uid: 1_000) })
        #expect(users.error == .manageUserNeeded && users.parameters["uids"] == [0])
        let forgotten = try #require(
            try Refusal { try manage.call(.reset) { ManageInterface.Reset(app: "tracker", uid: 1_000).write(to: &$0) } }
        )
        #expect(forgotten.error == .manageUserNeeded)
        for (name, uid) in [("trialmap", nil), ("trialmap", 1_000), ("../trailmap", nil), ("", nil)]
            as [(String, UInt32?)]
        {
            let unknown = try #require(try Refusal { try manage.authorize(name, .deny, uid: uid) })
            #expect(unknown.error == .manageNoSuchApp && unknown.parameters["app"] == .string(name))
        }
    }

    @Test func `a restriction overrides an operator's yes, but not a no`() throws {
        let daemon = try start()
        let manage = try OperatorClient(daemon)
        try manage.authorize("trailmap", .always, uid: 1_000)
        try apps.restrict("[Restrictions]\nDenyApps=trailmap\n")
        #expect(try eventually { try manage.app("trailmap")?.status == .restricted }, "\(daemon.log)")
        let refused = try #require(try Refusal { try manage.authorize("trailmap", .whileUsing) })
        #expect(refused.error == .manageRestricted)
        #expect(try manage.app("trailmap")?.permission == .always, "nothing is stored of it")
        #expect(try manage.authorize("trailmap", .deny).permission == .denied)
        try apps.restrict(nil)
        #expect(try eventually { try manage.app("trailmap")?.status == .denied })
    }

    @Test func `an app whose manifest was removed can be denied, but not allowed`() throws {
        let daemon = try start()
        let manage = try OperatorClient(daemon)
        try manage.authorize("trailmap", .whileUsing, uid: 1_000)
        #expect(unlink(apps.directory.file("apps/trailmap.app")) == 0)
        #expect(try eventually { try manage.app("trailmap")?.manifest == nil })
        #expect(try Refusal { try manage.authorize("trailmap", .always) }?.error == .manageNoSuchApp)
        #expect(try manage.authorize("trailmap", .deny).permission == .denied)
    }

    @Test func `mistakes in manifests and restrictions are listed with their places`() throws {
        try apps.directory.write("apps/broken.app", "[App]\nName=Broken\nExec=not/absolute\n")
        try apps.restrict("[Restrictions]\nDenyEverything=maybe\n")
        let daemon = try start()
        let manage = try OperatorClient(daemon)
        let problems = try manage.list().problems
        #expect(problems.contains { $0.hasPrefix(apps.directory.file("apps/broken.app:3")) }, "\(problems)")
        #expect(problems.contains { $0.hasPrefix(apps.directory.file("restrictions.d/test.conf:2")) }, "\(problems)")
        let status = try manage.status().authorization
        let count = try manage.list().apps.count
        #expect(status.problems == problems.count && status.apps == count)
    }

    @Test func `a decision of an operator is durable when the reply is sent`() throws {
        let daemon = try start()
        for round in 0..<5 {
            try OperatorClient(daemon).authorize("trailmap", round % 2 == 0 ? .always : .deny, uid: 1_000)
            daemon.signal(SIGKILL)
            #expect(try daemon.wait() == .killed(signal: SIGKILL))
            try daemon.restart()
            #expect(try OperatorClient(daemon).app("trailmap")?.permission == (round % 2 == 0 ? .always : .denied))
        }
        try OperatorClient(daemon).call(.setServicesEnabled) {
            ManageInterface.SetServicesEnabled(enabled: false).write(to: &$0)
        }
        daemon.signal(SIGKILL)
        #expect(try daemon.wait() == .killed(signal: SIGKILL))
        try daemon.restart()
        #expect(try !OperatorClient(daemon).list().servicesEnabled)
    }

    @Test func `a wrong parameter of a decision is named`() throws {
        let daemon = try start()
        let client = try OperatorClient(daemon).client
        for (method, parameters, name) in [
            (.authorize, ["app": "trailmap", "status": "deny", "uid": -1], "uid"),
            (.setLocked, ["locked": true], "uid"), (.eraseUser, [:], "uid"), (.restoreUser, [:], "uid"),
            (.answer, ["id": 0, "choice": "deny"], "id"),
        ] as [(ManageInterface.Method, JSON, String)] {
            let failure = #expect(throws: VarlinkError.self) {
                try client.call(method.rawValue, parameters, timeout: .seconds(60))
            }
            guard case .reply(let error, let parameters)? = failure else {
                Issue.record("\(method) was accepted: \(parameters)")
                continue
            }
            #expect(error == "org.varlink.service.InvalidParameter" && parameters["parameter"]?.stringValue == name)
        }
        #expect(
            try Refusal {
                _ = try client.call(
                    ManageInterface.Method.answer.rawValue, ["id": 7, "choice": "deny"], timeout: .seconds(60))
            }?.error == .manageNoSuchRequest)
    }

    @Test func `a new offset of reduced positions is recorded`() throws {
        let daemon = try start()
        let manage = try OperatorClient(daemon)
        try manage.call(.rotateReduced)
        let read = JournalInterface.Read(kinds: [.reducedKeyRotated])
        #expect(try manage.client.call(read, timeout: .seconds(60)).events.count == 1)
    }
}
