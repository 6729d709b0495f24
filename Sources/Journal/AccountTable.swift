import Storage

// The SQL for the accounts of users: table `accounts` of schema 7.

extension Database {
    /// Writes the account to which a user id belongs, or deletes it, within a transaction.
    func write(_ account: StoredAccount?, of uid: UInt32) throws(StorageError) {
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

    /// Removes the events recorded until now from the view of a user id's apps, within a transaction: the next account
    /// with this number must not read them. Operators can still read them.
    func forgetAudiences(of uid: UInt32) throws(StorageError) {
        let operation = "forget an account's numbers"
        try Statement(
            self,
            """
            UPDATE events SET appSeq = NULL WHERE uid = ?1 AND app IN (SELECT app FROM audiences WHERE uid = ?1)
            """, as: operation
        ).run([.integer(Int64(uid))])
        try Statement(self, "DELETE FROM audiences WHERE uid = ?", as: operation).run([.integer(Int64(uid))])
    }

    /// Reads the accounts; invalid rows are reported in `findings`. A database that was set aside may lack the
    /// accounts' ages.
    func readAccounts(
        into state: inout StoredAuthorization, hasHomeBirths: Bool = true, _ findings: inout [String]
    ) throws(StorageError) {
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
