import Glibc
import Platform

/// Users by name and number, as the user database has them.
enum UserName {
    /// The number of a name, or a number itself; nil for an unknown name.
    static func number(_ text: String) -> UInt32? {
        if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) { return UInt32(text) }
        return number(ofAccount: text)
    }

    /// The number of the account of this name, even of one that looks like a number; nil for an unknown name.
    static func number(ofAccount name: String) -> UInt32? {
        entry(.name(name))?.uid
    }

    /// The name of a number; nil for an unknown number.
    static func name(_ number: Int64) -> String? {
        guard let number = uid_t(exactly: number) else { return nil }
        return entry(.uid(number))?.name
    }

    /// A user for a person: the name, if there is one, else the number.
    static func text(_ number: Int64) -> String { name(number) ?? String(number) }

    /// The names of root and of the accounts of people in the user database, getpwent(3); at most a thousand, because a
    /// directory service may have more than can be offered as a choice.
    static func people() -> [String] {
        setpwent()
        defer { endpwent() }
        var names: [String] = []
        while names.count < 1_000, let entry = getpwent() {
            // Debian's ranges: Debian Policy 9.2.2.
            guard entry.pointee.pw_uid == 0 || (1_000..<60_000).contains(entry.pointee.pw_uid),
                let name = entry.pointee.pw_name
            else { continue }
            names.append(String(cString: name))
        }
        return names
    }

    private static func entry(_ key: UserDatabase.Key) -> UserDatabase.Entry? {
        // A user of an unavailable source is handled like an unknown one, who can be named by number.
        do throws(SystemError) { return try UserDatabase.entry(key) } catch { return nil }
    }
}
