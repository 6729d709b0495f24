import Glibc
import Manifests
import Platform
import TestSupport
import Testing

@testable import Daemon

/// The programs that may show prompts. The folders on the path to a program are real ones.
@Suite struct AgentAdmissionTests {
    private static let user: uid_t = 4_242
    private static let foreignGroup: gid_t = 4_243
    private static let ownGroup: gid_t = 4_244

    private func evidence(
        _ path: String, user: uid_t = user, group: String? = nil
    ) throws -> PeerEvidence {
        PeerEvidence(
            processID: 1, userID: user, controlGroup: group.map { ControlGroup(path: $0) },
            program: .file(path))
    }

    private func objection(
        _ admission: AgentAdmission, _ evidence: PeerEvidence?, _ match: Catalogue.Match = .unidentified("")
    ) -> String? {
        admission.objection(to: evidence, match: match) { $0 == Self.ownGroup }
    }

    @Test func `a configured program that its user cannot change may be an agent`() throws {
        let admission = AgentAdmission(programs: ["/usr/bin/env"])
        #expect(try objection(admission, evidence("/usr/bin/env")) == nil)
        #expect(try objection(admission, evidence("/usr/bin/tail"))?.contains("Agents=") == true)
    }

    @Test func `a process that has ended or hides its program is no agent`() {
        let admission = AgentAdmission(programs: ["/usr/bin/env"])
        #expect(objection(admission, nil) != nil)
        let hidden = PeerEvidence(
            processID: 1, userID: Self.user, program: .unknown("was replaced or removed since it was started"))
        #expect(objection(admission, hidden)?.contains("was replaced") == true)
    }

    @Test func `no app is an agent, not even one of two indistinguishable ones`() throws {
        let admission = AgentAdmission(programs: ["/usr/bin/env"], ownUser: Self.user)
        let evidence = try evidence("/usr/bin/env")
        #expect(objection(admission, evidence, .app(id: "trailmap", by: .exec))?.contains("trailmap") == true)
        #expect(objection(admission, evidence, .ambiguous(["a", "b"], by: .userUnit)) != nil)
    }

    @Test func `an agent's program started by an app's unit is that app`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("trailmap.app", "[App]\nName=Trail Map\nUserUnit=app-trailmap-*.scope\n")
        var catalogue = Catalogue()
        catalogue.readShared([ManifestFolder(path: directory.path, owner: .root)])
        let slice = "/user.slice/user-4242.slice/user@4242.service/app.slice"
        let admission = AgentAdmission(programs: ["/usr/bin/env"])
        let inside = try evidence("/usr/bin/env", group: "\(slice)/app-trailmap-77.scope")
        let match = catalogue.match(inside)
        #expect(match == .app(id: "trailmap", by: .userUnit))
        #expect(objection(admission, inside, match) != nil)
        let outside = try evidence("/usr/bin/env", group: "\(slice)/waymark-agent.service")
        #expect(objection(admission, outside, catalogue.match(outside)) == nil)
    }

    @Test(.enabled(if: Capability.changeOwners.isHeld, "only root can give files away"))
    func `a program that its user could change is an agent only for root and the daemon's user`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("below/agent", "")
        let folder = directory.file("below")
        func chown(_ path: String, _ user: uid_t, _ group: gid_t, _ mode: mode_t) {
            #expect(Glibc.chown(path, user, group) == 0 && chmod(path, mode) == 0)
        }
        let admission = AgentAdmission(programs: [path], ownUser: 1)
        func isAllowed(_ user: uid_t = Self.user) throws -> Bool {
            try objection(admission, evidence(path, user: user)) == nil
        }

        #expect(try isAllowed())
        for (mode, group, expected) in [
            (0o757, 0, false), (0o775, Self.ownGroup, false), (0o775, Self.foreignGroup, true),
            (0o755, Self.ownGroup, true),
        ] as [(mode_t, gid_t, Bool)] {
            chown(path, 0, group, mode)
            #expect(try isAllowed() == expected, "file \(String(mode, radix: 8)) of group \(group)")
            chown(path, 0, 0, 0o755)
            chown(folder, 0, group, mode)
            #expect(try isAllowed() == expected, "folder \(String(mode, radix: 8)) of group \(group)")
            chown(folder, 0, 0, 0o755)
        }
        chown(path, Self.user, 0, 0o555)
        #expect(try !isAllowed(), "an owner may change the mode")
        #expect(try isAllowed(0), "root may write to it anyway")
        #expect(try isAllowed(1), "and the daemon's user to its own")
        chown(path, 0, 0, 0o755)
        chown(folder, Self.user, 0, 0o555)
        #expect(try !isAllowed())
        chown(folder, Self.user, 0, 0o1777)
        #expect(try !isAllowed(), "the owner of a sticky folder may remove everything in it")
        chown(folder, 0, 0, 0o1777)
        #expect(try isAllowed())
    }
}
