import CommandLineKit
import Glibc
import Platform

/// `waymark upload-test-server`: a separate program, because only it needs a library for servers.
enum UploadTestServerCommand {
    private static let program = "waymark-upload-test-server"

    static let command = Command(
        "upload-test-server", "receive uploads on loopback and show them, to test uploads without a server",
        discussion: [
            "Runs \(program), which has its own help:", "  waymark upload-test-server --help",
        ],
        examples: [
            Command.Example("waymark upload-test-server --file points.jsonl", "Stores and shows the uploads."),
            Command.Example("waymark upload-test-server --fail 503 --every 3", "Makes every third request fail."),
        ], isOtherProgram: true)

    /// Replaces this process with that program, execv(3).
    static func run(_ session: Session) throws(CommandFailure) {
        guard let path = path() else {
            throw .failed(
                "ProgramMissing",
                "There is no \(program) beside this program, in ../libexec/waymark or in PATH. Build or install it: make build."
            )
        }
        let arguments = [path] + session.invocation.trailing
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        pointers.append(nil)
        execv(path, pointers)
        let error = SystemError("start", subject: path)
        for pointer in pointers { free(pointer) }
        throw CommandFailure(error)
    }

    private static func path() -> String? {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        if let slash = own.lastIndex(of: "/") {
            let folder = own[..<slash]
            let places = ["\(folder)/\(program)", "\(folder)/../libexec/waymark/\(program)"]
            if let place = places.first(where: ExecutableSearch.isExecutable) { return place }
        }
        return ExecutableSearch.find(program)
    }
}
