import Glibc

/// The user database, passwd(5) and the name services beside it. Asking may take as long as a directory server wants.
public enum UserDatabase {
    /// The name of a user, getpwuid_r(3); nil for one whom the database does not have.
    public static func name(of uid: uid_t) throws(SystemError) -> String? {
        var buffer = [CChar](repeating: 0, count: 4_096)
        while true {
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let status = getpwuid_r(uid, &entry, &buffer, buffer.count, &found)
            switch status {
            case 0: return found == nil ? nil : entry.pw_name.map { String(cString: $0) }
            case EINTR: continue
            case ERANGE where buffer.count < 1 << 20: buffer = [CChar](repeating: 0, count: buffer.count * 4)
            case ENOENT, ESRCH: return nil
            default: throw SystemError("look up the user", code: status, subject: String(uid))
            }
        }
    }
}
