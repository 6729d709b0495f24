import Glibc
import Platform

/// The program `waymark-agent`, which only runs `waymark agent`.
///
/// It is a separate program because of its installation: setgid to a group of its own and not readable (mode 2711), so
/// that the kernel prevents other programs of the same user from tracing it, preloading code into it, or pretending to
/// run it.
enum AgentProgram {
    /// Its name.
    static let name = "waymark-agent"

    /// Replaces this process with it, with the same arguments; returns where it is not installed.
    static func become(_ session: Session) {
        guard let path else { return }
        var arguments = [path]
        if let socket = session.invocation.text("socket") { arguments += ["--socket", socket] }
        for option in ["desktop", "json", "wake"] where session.invocation.has(option) {
            arguments.append("--\(option)")
        }
        var pointers = arguments.map { strdup($0) } + [nil]
        _ = execv(path, &pointers)
        for pointer in pointers { free(pointer) }
    }

    /// Its path: below `libexec` of an installation, beside this program in a build folder.
    private static var path: String? {
        guard let own = LinkTarget.read("/proc/self/exe"), let slash = own.lastIndex(of: "/") else { return nil }
        let folder = own[..<slash]
        let above = folder.lastIndex(of: "/").map { folder[..<$0] } ?? ""
        return ["\(above)/libexec/waymark/\(name)", "\(folder)/\(name)"].first(where: ExecutableSearch.isExecutable)
    }
}
