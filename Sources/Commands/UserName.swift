import Glibc

/// Users by name and number, as the user database has them: getpwnam_r(3), getpwuid_r(3).
enum UserName {
    /// The number of a name, or a number itself; nil for an unknown name.
    static func number(_ text: String) -> UInt32? {
        if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) { return UInt32(text) }
        return number(ofAccount: text)
    }

    /// The number of the account of this name, even of one that looks like a number; nil for an unknown name.
    static func number(ofAccount name: String) -> UInt32? {
        lookUp { entry, buffer, found in getpwnam_r(name, entry, buffer, capacity, found) }?.uid
    }

    /// The name of a number; nil for an unknown number.
    static func name(_ number: Int64) -> String? {
        guard let number = uid_t(exactly: number) else { return nil }
        return lookUp { entry, buffer, found in getpwuid_r(number, entry, buffer, capacity, found) }?.name
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

    /// The groups of a user in the user database, getgrouplist(3), with the user's own group; that group alone where
    /// the database does not reply.
    static func groups(of name: String, besides own: gid_t) -> [gid_t] {
        var count: Int32 = 64
        while count <= 65_536 {
            var groups = [gid_t](repeating: 0, count: Int(count))
            var found = count
            if getgrouplist(name, own, &groups, &found) >= 0 { return Array(groups.prefix(Int(found))) }
            count = max(found, count * 2)
        }
        return [own]
    }

    /// More than the size of an entry of the database.
    private static let capacity = 16_384

    private typealias Query = (
        UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> Int32

    private static func lookUp(_ query: Query) -> (uid: UInt32, name: String)? {
        var buffer = [CChar](repeating: 0, count: capacity)
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        // The names in the entry point into the buffer, which is valid until the end of the closure.
        return buffer.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, query(&entry, start, &found) == 0, found != nil,
                let name = entry.pw_name
            else { return nil }
            return (entry.pw_uid, String(cString: name))
        }
    }
}
