// What SQL there is for the accounts of users: table `accounts` of schema 7.

extension Database {
    /// Writes to which account a user id belongs, or forgets it, within a transaction.
    func write(_ account: StoredAccount?, of uid: UInt32) throws(JournalError) {
        guard let account else {
            try Statement(self, "DELETE FROM accounts WHERE uid = ?", as: "forget an account").run([
                .integer(Int64(uid))
            ])
            return
        }
        try Statement(
            self,
            """
            INSERT OR REPLACE INTO accounts (uid, name, state, otherName, since, absentSeconds, homeBirth)
            VALUES (?,?,?,?,?,?,?)
            """, as: "write an account"
        ).run([
            .integer(Int64(uid)), SQLValue(account.name), .text(account.state.rawValue), SQLValue(account.otherName),
            SQLValue(account.sinceMicroseconds), .integer(account.absentSeconds), SQLValue(account.homeBirth),
        ])
    }

    /// Takes from the apps of a user id the events that they have read until now, within a transaction: whoever has the number
    /// next is not to read them. Operators read them further.
    func forgetAudiences(of uid: UInt32) throws(JournalError) {
        let operation = "forget an account's numbers"
        try Statement(
            self,
            """
            UPDATE events SET appSeq = NULL WHERE uid = ?1 AND app IN (SELECT app FROM audiences WHERE uid = ?1)
            """, as: operation
        ).run([.integer(Int64(uid))])
        try Statement(self, "DELETE FROM audiences WHERE uid = ?", as: operation).run([.integer(Int64(uid))])
    }

    /// Reads the accounts; `findings` gets the rows that make no sense. A database that was set aside may have none of their ages.
    func readAccounts(
        into state: inout StoredAuthorization, hasHomeBirths: Bool = true, _ findings: inout [String]
    ) throws(JournalError) {
        let birth = hasHomeBirths ? "homeBirth" : "NULL"
        try Statement(
            self, "SELECT uid, name, state, otherName, since, absentSeconds, \(birth) FROM accounts",
            as: "read the accounts"
        ).run { row in
            if let uid = UInt32(exactly: row.integer(0)), let known = StoredAccount.State(rawValue: row.text(2)) {
                state.accounts[uid] = StoredAccount(
                    name: row.optionalText(1), state: known, otherName: row.optionalText(3),
                    sinceMicroseconds: row.optionalInteger(4), homeBirth: row.optionalInteger(6),
                    absentSeconds: max(0, row.integer(5)))
            } else {
                findings.append("the account of uid \(row.text(0)) makes no sense")
            }
            return true
        }
    }
}
