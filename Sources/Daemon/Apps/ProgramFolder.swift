import Glibc

/// The folder of the running program, /proc/self/exe of proc(5).
enum ProgramFolder {
    /// The path with a slash at its end; nil if it cannot be determined. If the program's file was replaced meanwhile,
    /// the folder is still the same.
    static let path: String? = {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &path, path.count)
        guard count > 0, count < path.count else { return nil }
        let text = String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.lastIndex(of: "/").map { String(text[...$0]) }
    }()

    /// The paths of a program that belongs to the running one: in `../libexec/waymark` of an installation, in the same folder of
    /// a build.
    static func paths(of program: String) -> Set<String> {
        guard let folder = path else { return [] }
        var paths: Set<String> = [folder + program]
        let above = folder.dropLast().lastIndex(of: "/").map { folder[...$0] }
        if let above { paths.insert(above + "libexec/waymark/\(program)") }
        return paths
    }
}
