import CLinux
import Glibc
import Manifests
import Platform

/// The program `waymark-inspector`: reads what only root may read, for a daemon without capabilities.
///
/// Its queries consist of a process's number, or of a user and a folder, and nothing else; it returns what it reads
/// without interpreting it. It may read which program a process runs, the manifests of a user in that user's own
/// folder, and the creation time of that user's home.
public enum InspectorProcess {
    /// Replies to the queries on the socket that is its standard input, until the socket is closed; returns the exit
    /// code.
    public static func run() -> Int32 {
        // No core dump: the limit is smaller than any core file, and 1 is the one value at which the kernel starts no
        // core handler either, core(5).
        var limit = rlimit(rlim_cur: 1, rlim_max: 1)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        signal(SIGALRM, SIG_DFL)
        // The parent process may have left more descriptors open.
        let socket = STDIN_FILENO
        var kind: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(socket, SOL_SOCKET, SO_TYPE, &kind, &length) == 0, kind == Int32(SOCK_SEQPACKET.rawValue)
        else { return 2 }
        var buffer = [UInt8](repeating: 0, count: InspectorRequest.mostBytes)
        while true {
            let count = recv(socket, &buffer, buffer.count, Int32(MSG_TRUNC))
            if count < 0, errno == EINTR { continue }
            // The peer has closed the socket, or it failed.
            guard count > 0 else { return 0 }
            guard count <= buffer.count, let request = InspectorRequest(buffer[..<count]) else { return 1 }
            guard answer(request, on: socket) else { return 0 }
        }
    }

    /// How long a reply about a program may take before SIGALRM ends the process. The daemon waits a quarter of that. The
    /// program may be on a file system that does not respond, and the process would wait as long as that does, and would
    /// count against the limit of the socket's connections.
    private static let longestAnswerSeconds: UInt32 = 1

    private static func answer(_ request: InspectorRequest, on socket: Int32) -> Bool {
        switch request {
        case .program(let processID):
            alarm(longestAnswerSeconds)
            defer { alarm(0) }
            return send(.program(ProgramEvidence.of(processID: processID)), on: socket)
        case .manifests(let userID, let folder):
            return answer(ManifestFolder(path: folder, owner: .user(userID)), of: userID, on: socket)
        case .home(let userID, let path):
            let birth = path.contains("/../") ? nil : DirectoryBirth.microseconds(of: path, owner: userID)
            return sendBirth(birth, on: socket) && send(.end, on: socket)
        }
    }

    /// Sends the age of a home, where it is known.
    private static func sendBirth(_ birth: Int64?, on socket: Int32) -> Bool {
        birth.map { send(.home(bornMicroseconds: $0), on: socket) } ?? true
    }

    /// The watch comes first, so that it reports changes made while the folder is being read.
    private static func answer(_ folder: ManifestFolder, of userID: UInt32, on socket: Int32) -> Bool {
        guard folder.path.hasSuffix(ManifestFolder.personalEnd), !folder.path.contains("/../") else {
            return send(.found(.wrongFolder("is no folder of manifests")), on: socket) && send(.end, on: socket)
        }
        guard sendBirth(folder.homeBirth(of: userID), on: socket) else { return false }
        do throws(SystemError) {
            let watched = try WatchedPaths([folder.path])
            guard send(.watched(watched.interests), with: [watched.number], on: socket) else { return false }
        } catch {
            guard send(.unwatched("\(error)"), on: socket) else { return false }
        }
        var isHeard = true
        folder.visit { if isHeard { isHeard = send(.found($0), on: socket) } }
        return isHeard && send(.end, on: socket)
    }

    private static func send(_ answer: InspectorAnswer, with descriptors: [Int32] = [], on socket: Int32) -> Bool {
        let bytes = answer.bytes
        while true {
            let count = bytes.withUnsafeBytes {
                waymark_send_message(socket, $0.baseAddress, $0.count, descriptors, descriptors.count, 0)
            }
            if count < 0, errno == EINTR { continue }
            return count == bytes.count
        }
    }
}
