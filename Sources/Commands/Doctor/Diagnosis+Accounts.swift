/// Users whose account was removed or changed.
extension Diagnosis {
    /// Their apps have no positions until an operator has decided, which the users cannot distinguish from other
    /// faults.
    var accounts: [Finding] {
        UserTable.warnings(facts.users).map {
            Finding(severity: .note, subject: "Accounts", text: $0, advice: UserTable.advice)
        }
    }
}
