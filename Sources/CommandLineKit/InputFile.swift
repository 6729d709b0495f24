import Glibc
import Platform

/// A file that a person names as an argument; `-` is standard input.
///
/// It is opened as a shell opens one: a pipe, also a named one or a process substitution, is waited for.
public enum InputFile {
    /// How messages name it.
    public static func name(_ path: String) -> String { path == "-" ? "standard input" : path }

    /// Opens it for reading.
    public static func open(_ path: String) throws(SystemError) -> OwnedDescriptor {
        try OwnedDescriptor("read", subject: name(path)) {
            path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : Glibc.open(path, O_RDONLY | O_CLOEXEC)
        }
    }

    /// Its whole content. EFBIG if it is longer than the limit.
    public static func bytes(of path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let file = try open(path)
        return try BoundedFile.bytes(from: file.number, limit: limit, subject: name(path))
    }
}
