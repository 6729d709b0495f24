import Glibc
import Platform

/// The program `waymark-agent`, which is `waymark agent` and nothing else.
///
/// It is a program of its own because of how it is installed: setgid to a group of its own and not readable (mode 2711), so
/// that the kernel lets no program of the same user trace it, preload code into it, or pretend to run it.
enum AgentProgram {
    /// Its name.
    static let name = "waymark-agent"

    /// Becomes it, with the same arguments; returns where it is not installed.
    static func become(_ session: Session) {
        guard let path else { return }
        var arguments = [path]
        if let socket = session.invocation.text("socket") { arguments += ["--socket", socket] }
        for option in ["desktop", "json"] where session.invocation.has(option) { arguments.append("--\(option)") }
        var pointers = arguments.map { strdup($0) } + [nil]
        _ = execv(path, &pointers)
        for pointer in pointers { free(pointer) }
    }

    /// Where it is: below `libexec` where it is installed, beside this program where it was built.
    private static var path: String? {
        guard let own = LinkTarget.read("/proc/self/exe"), let slash = own.lastIndex(of: "/") else { return nil }
        let folder = own[..<slash]
        let above = folder.lastIndex(of: "/").map { folder[..<$0] } ?? ""
        return ["\(above)/libexec/waymark/\(name)", "\(folder)/\(name)"].first(where: ExecutableSearch.isExecutable)
    }
}
