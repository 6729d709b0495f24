import CommandLineKit
import Interfaces
import Testing

@testable import Commands

/// The texts about users with stored data.
@Suite struct UserTableTests {
    private func user(_ uid: UInt32, _ name: String?, _ state: String, other: String? = nil) -> KnownUser {
        var user = KnownUser(uid: uid, name: name, state: state)
        (user.otherName, user.grants, user.recordings, user.positions) = (other, 2, 1, 12_345)
        if state != "present" && state != "noAccount" { user.since = 99_700 }
        if state == "removed" || state == "replaced" { user.erasedAfter = 6 * 86_400 }
        return user
    }

    @Test func `the state of each account is shown, and when its data are erased`() {
        let table = UserTable(now: 100_000, terminal: Terminal(isTerminal: false))
        let users = [
            user(1000, "one", "present"), user(1001, "two", "removed"), user(1002, "three", "renamed", other: "drei"),
            user(1003, "four", "replaced", other: "eve"), user(1004, "five", "returned"),
            user(100_000, nil, "noAccount"),
        ]
        #expect(
            table.lines(users) == [
                "   UID  NAME   DECIDED  REQUESTS  RECORDINGS  POSITIONS  ERASED     STATE",
                "  1000  one          2         0           1     12,345  -          present",
                "  1001  two          2         0           1     12,345  in 6 days  removed 5 min ago",
                "  1002  three        2         0           1     12,345  -          is called drei now 5 min ago",
                "  1003  four         2         0           1     12,345  in 6 days  the number is eve's now 5 min ago",
                "  1004  five         2         0           1     12,345  -          created again 5 min ago",
                "100000  -            2         0           1     12,345  -          no account has this number",
            ])
        #expect(users.map(UserTable.needsDecision) == [false, true, true, true, true, false])
        #expect(table.lines([]).isEmpty)
    }

    @Test func `status and doctor name removed or changed accounts, and the consequence`() {
        let users = [
            user(1000, "one", "present"), user(1001, "two", "removed"), user(1002, "three", "renamed", other: "drei"),
            user(1003, "four", "replaced", other: "eve"), user(1004, "five", "returned"), user(1005, "six", "erased"),
        ]
        #expect(
            UserTable.warnings(users) == [
                "The stored data of two (uid 1001) is not used, because the account was removed: it will be erased in 6 days.",
                "The stored data of three (uid 1002) is not used, because the account is called drei now: an operator has to"
                    + " decide.",
                "The stored data of four (uid 1003) is not used, because the number is eve's now: it will be erased in 6 days.",
                "The same applies to 1 more user.",
            ])
        #expect(UserTable.warnings([users[0], users[5]]).isEmpty)
        var facts = DoctorFacts()
        facts.users = [users[0], users[4]]
        let findings = Diagnosis(facts: facts).accounts
        #expect(findings.map(\.severity) == [.note] && findings.first?.text.contains("created again") == true)
        #expect(findings.first?.advice?.contains("waymark users restore") == true)
    }
}
