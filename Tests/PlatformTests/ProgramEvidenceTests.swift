import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite struct ProgramEvidenceTests {
    @Test func `this process is known by its program`() throws {
        #expect(ProgramEvidence.of(processID: getpid()) == .file(try TestApps.ownProgram()))
    }

    @Test(arguments: [
        ("55d0-55d1 r-xp 00001000 fe:01 1234                       /usr/bin/map", true),
        ("55d0-55d1 r--p 00001000 fe:01 1234                       /usr/bin/map", false),
        ("55d0-55d1 rwxp 00001000 fe:01 1234                       /usr/bin/map", true),
        ("55d0-55d1 r-xp 00001000 fe:01 1234                       /opt/usr/bin/map", false),
        ("55d0-55d1 r-xp 00001000 fe:01 1234                       /usr/bin/map (deleted)", false),
        ("55d0-55d1 r-xp 00000000 00:00 0 ", false), ("", false), ("/usr/bin/map", false),
    ]) func `a mapping counts that is code of the program's own file`(line: String, isCode: Bool) {
        #expect(ProgramEvidence.isCode(of: Array("/usr/bin/map".utf8), Array(line.utf8)[...]) == isCode)
    }

    @Test(.enabled(if: OtherUser.isPossible, "only root can give files away"))
    func `a program with a group of its own has to run with it`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("agent", "")
        func objection(_ mode: mode_t, _ groups: Set<gid_t>) -> String? {
            #expect(chown(path, 0, 4_243) == 0 && chmod(path, mode) == 0)
            return ProgramGuard.groupObjection(to: path) { groups.contains($0) }
        }
        #expect(objection(0o2711, []) != nil)
        #expect(objection(0o2711, [4_243]) == nil)
        #expect(objection(0o711, []) == nil)
        // Without the group's execute bit it is no setgid program.
        #expect(objection(0o2701, []) == nil)
    }
}
