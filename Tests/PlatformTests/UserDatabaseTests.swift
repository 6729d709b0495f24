import Platform
import Testing

/// Accounts as the user database of the machine has them.
@Suite struct UserDatabaseTests {
    @Test func `an account is found by its number and by its name`() throws {
        let root = try #require(try UserDatabase.entry(.uid(0)))
        #expect(root.name == "root" && root.group == 0 && root.home.hasPrefix("/"))
        #expect(try UserDatabase.entry(.name("root")) == root)
        #expect(try UserDatabase.entry(.name("nobody-has-this-name")) == nil)
        #expect(try UserDatabase.entry(.uid(3_999_999_999)) == nil)
    }

    @Test func `an account's groups have its own group, also if the account is unknown`() throws {
        #expect(try #require(UserDatabase.groups(of: "root", besides: 0)).contains(0))
        #expect(UserDatabase.groups(of: "nobody-has-this-name", besides: 7) == [7])
        #expect(UserDatabase.isMember(0, of: 0) == true)
        #expect(UserDatabase.isMember(3_999_999_999, of: 0) == false)
    }
}
