import Glibc
import Manifests
import Platform
import TestSupport
import Testing

@testable import Daemon

/// The programs that are `waymark-sync`, and for whom.
@Suite struct SyncAdmissionTests {
    private static let program = "/usr/libexec/waymark/waymark-sync"
    private static let service = "/system.slice/waymark-sync.service"
    private static let manager = "/user.slice/user-4242.slice/user@4242.service/app.slice"

    private func scope(
        _ path: String? = program, user: uid_t = 4_242, group: String = "\(manager)/waymark-sync.service",
        match: Catalogue.Match = .unidentified(""), isRacy: Bool = false, rest: String? = nil
    ) -> Result<WakeScope, SyncAdmission.Objection> {
        let evidence = PeerEvidence(
            processID: 1, userID: user, controlGroup: ControlGroup(path: group),
            program: path.map { .file($0) } ?? .unknown("was replaced"), isRacy: isRacy)
        let admission = SyncAdmission(programs: [Self.program]) { $0 == 990 ? "waymark-sync" : "somebody" }
        return admission.scope(of: evidence, match: match) { rest }
    }

    private func objection(_ result: Result<WakeScope, SyncAdmission.Objection>) -> String? {
        if case .failure(let objection) = result { objection.message } else { nil }
    }

    @Test func `the service of the machine reports for apps of the machine`() {
        #expect(scope(user: 990, group: Self.service) == .success(.machine))
        #expect(scope(nil, user: 990, group: Self.service) == .success(.machine), "the unit identifies it")
        #expect(objection(scope("/bin/sh", user: 990, group: Self.service)) == "/bin/sh is not waymark-sync.")
    }

    @Test func `where a process is known by its number only, the user of the service has to be the caller's`() {
        #expect(scope(user: 990, group: Self.service, isRacy: true) == .success(.machine))
        #expect(scope(user: 0, group: Self.service, isRacy: true) == .success(.machine))
        #expect(objection(scope(group: Self.service, isRacy: true))?.contains("its user is not waymark-sync") == true)
    }

    @Test(arguments: [manager + "/waymark-sync.service", manager + "/run-7.scope", "/system.slice/cron.service"])
    func `a person's program reports for apps of that person, wherever it runs`(group: String) {
        #expect(scope(group: group) == .success(.user(4_242)))
        #expect(scope(user: 0, group: group) == .success(.user(0)))
        #expect(scope(group: group, isRacy: true) == .success(.user(4_242)))
        #expect(objection(scope(group: group, rest: "Its user can change it.")) == "Its user can change it.")
    }

    @Test func `a unit of a user's own manager is no service of the machine`() {
        #expect(scope(user: 4_242, group: "\(Self.manager)/waymark-sync.service") == .success(.user(4_242)))
    }

    @Test(
        arguments: [
            Catalogue.Match.app(id: "notes", by: .unit), .app(id: "notes", by: .exec), .app(id: "notes", by: .userUnit),
            .ambiguous(["memo", "notes"], by: .userUnit),
        ])
    func `no app reports, whatever program it runs`(match: Catalogue.Match) {
        for group in [Self.service, "\(Self.manager)/notes.service"] {
            #expect(objection(scope(group: group, match: match))?.contains("no app is waymark-sync") == true)
        }
    }

    @Test func `a Flatpak app, another program and one that has ended do not report`() {
        let flatpak = "\(Self.manager)/app-flatpak-org.example.Notes-1.scope"
        #expect(objection(scope(group: flatpak))?.contains("Flatpak") == true)
        #expect(objection(scope("/usr/bin/python3")) == "/usr/bin/python3 is not waymark-sync.")
        let admission = SyncAdmission(programs: [Self.program]) { _ in nil }
        #expect(objection(admission.scope(of: nil, match: .unidentified("")) { nil }) == "This process has ended.")
    }
}
