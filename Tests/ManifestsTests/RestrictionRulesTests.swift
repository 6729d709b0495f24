import Authorization
import Glibc
import TestSupport
import Testing

@testable import Manifests

@Suite struct RestrictionRulesTests {
    private func rules(_ text: String) -> RestrictionRules {
        var rules = RestrictionRules()
        rules.apply(Array(text.utf8), path: "r.conf")
        return rules
    }

    @Test func `a file restricts what it says and nothing else`() {
        let rules = rules(
            """
            # The school's.
            [Restrictions]
            DenyApps=org.example.Game, org.example.Chat
            DenyUsers=1001 root
            AllowOnlyApps=map camera
            ForbidAlways=yes
            ForbidFullAccuracy=no
            DenyAll=no
            """)
        #expect(rules.problems == [])
        #expect(rules.deniedApps == ["org.example.Game", "org.example.Chat"])
        #expect(rules.deniedUIDs == [1001, 0])
        #expect(rules.allowedApps == ["map", "camera"])
        #expect(rules.forbidden == [.always])
    }

    @Test(
        arguments: [
            ("ForbidAlways=maybe", [.always]), ("ForbidFullAccuracy=", [.fullAccuracy]),
            ("ForbidRecording=1.0", [.recording]), ("ForbidRegions=true?", [.regions]),
            ("ForbidTracking=YES", [.tracking]),
            ("DenyAll=ja", [.position]), ("DenyApps=a/b", [.position]), ("DenyApps=", [.position]),
            ("DenyUsers=-1", [.position]), ("DenyUsers=no-such-user-here", [.position]),
            ("AllowOnlyApps=*", [.position]),
            ("ForbidAlway=yes", Restrictions.Right.allCases), ("nonsense", Restrictions.Right.allCases),
            ("[Restriction]", Restrictions.Right.allCases), ("DenyAll[ko]=no", Restrictions.Right.allCases),
        ] as [(String, [Restrictions.Right])])
    func `what cannot be understood forbids everything it might have meant`(
        line: String, rights: [Restrictions.Right]
    ) {
        let rules = rules("[Restrictions]\n\(line)\nDenyAll=no\n")
        #expect(rules.forbidden == Set(rights))
        #expect(rules.forbiddenByProblems == Set(rights))
        #expect(rules.problems.first?.line == 2)
    }

    @Test func `the rules of authorization get the same answers`() {
        let restrictions = rules("[Restrictions]\nDenyApps=a\nForbidRecording=ja\n").restrictions
        #expect(restrictions.denies(AppID(uid: 1, name: "a")))
        #expect(!restrictions.denies(AppID(uid: 1, name: "b")))
        #expect(restrictions.limitsRecording)
        #expect(!restrictions.limitsToInUse)
        #expect(restrictions.failures.count == 1)
    }

    @Test func `bytes that are no text forbid everything`() {
        var rules = RestrictionRules()
        rules.apply([0x5B, 0xFF, 0x5D], path: "r.conf")
        #expect(rules.forbidden == Set(Restrictions.Right.allCases))
    }

    @Test func `files restrict together, and none lifts what another restricts`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("r.d/10.conf", "[Restrictions]\nAllowOnlyApps=a b\nForbidAlways=yes\n")
        try directory.write("r.d/20.conf", "[Restrictions]\nAllowOnlyApps=b c\nForbidAlways=no\n")
        try directory.write("r.d/30.conf.off", "nonsense")
        let rules = RestrictionRules(folder: directory.file("r.d"))
        #expect(rules.problems == [])
        #expect(rules.allowedApps == ["b"])
        #expect(rules.forbidden == [.always])
        #expect(RestrictionRules(folder: directory.file("none")) == RestrictionRules())
    }

    @Test(.enabled(if: Capability.changeOwners.isHeld, "only root can give files away"), arguments: [0, 1, 2])
    func `a file that cannot be trusted or read forbids everything, and says so`(route: Int) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("r.d/10.conf", "[Restrictions]\nDenyAll=no\n")
        switch route {
        case 0: chown(file, 1000, 1000)
        case 1: chmod(file, 0o666)
        default:
            unlink(file)
            mkdir(file, 0o755)
        }
        let rules = RestrictionRules(folder: directory.file("r.d"))
        #expect(rules.forbidden == Set(Restrictions.Right.allCases))
        #expect(rules.problems.first?.file == file)
    }
}
