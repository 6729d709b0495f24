import Glibc

/// Folders in which a program stores what only its user may read.
public enum OwnFolder {
    /// The folder of a program: below `/var/lib` for root, and otherwise in `XDG_DATA_HOME`, else in `~/.local/share`, by the
    /// XDG Base Directory Specification, which ignores a relative path.
    public static func ofProgram(_ name: String) -> String {
        if getuid() == 0 { return "/var/lib/" + name }
        let data = ProcessEnvironment.value("XDG_DATA_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (data ?? (ProcessEnvironment.value("HOME") ?? "") + "/.local/share") + "/" + name
    }

    /// Makes a folder and those above it, for this user only (0700), unless they exist.
    public static func make(_ path: String, noun: String = "the folder") throws(SystemError) {
        var made = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            made += "/\(part)"
            if mkdir(made, 0o700) != 0, errno != EEXIST { throw SystemError("make \(noun)", subject: made) }
        }
    }
}
