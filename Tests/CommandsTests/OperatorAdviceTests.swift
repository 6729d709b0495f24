import Glibc
import Interfaces
import Testing

@testable import Commands

/// The advice to a user whose call was refused.
@Suite struct OperatorAdviceTests {
    private static func jane(_ change: (inout OperatorAdvice) -> Void = { _ in }) -> OperatorAdvice {
        var advice = OperatorAdvice(
            user: "jane", group: "trackers", groupID: 42, processGroups: [1_000], accountGroups: [1_000, 27],
            hasDebianAdduser: true)
        change(&advice)
        return advice
    }

    @Test(arguments: [
        (true, "`sudo adduser jane trackers`"), (false, "`sudo usermod --append --groups trackers jane`"),
    ])
    func `a user outside the operators' group gets the command that adds her`(isDebian: Bool, command: String) {
        let sentence = Self.jane { $0.hasDebianAdduser = isDebian }.sentence
        #expect(sentence?.contains(command) == true)
        #expect(sentence?.contains("at the next login") == true)
    }

    @Test func `a user added during this login gets the advice to log in again`() {
        let sentence = Self.jane { $0.accountGroups.append(42) }.sentence
        #expect(sentence?.contains("log out and in again") == true)
        #expect(sentence?.contains("`newgrp trackers`") == true)
        #expect(sentence?.contains("adduser") == false)
    }

    @Test func `without such a group the command that creates it comes first`() {
        let sentence = Self.jane { $0.groupID = nil }.sentence
        #expect(sentence?.contains("`sudo groupadd --system trackers`") == true)
    }

    @Test func `root and a member of the group were refused for another reason`() {
        #expect(Self.jane { $0.isRoot = true }.sentence == nil)
        #expect(Self.jane { $0.processGroups.append(42) }.sentence == nil)
        #expect(Self.jane { $0.isRoot = true }.explained(.manageNotOperator, "No.") == "No.")
    }

    @Test func `a refused request for positions names both solutions, and nothing else`() {
        let reported = Self.jane().explained(.manifestMissing, "No manifest fits.")
        #expect(reported.contains("adduser jane trackers") && reported.contains("`waymark manifest --help`"))
        #expect(reported.hasSuffix("`waymark manifest --help`.") && !reported.contains("No manifest fits"))
        #expect(Self.jane().explained(.manageNotOperator, "Only operators.").hasPrefix("Only operators. Make jane"))
    }
}
