import CLinux
import Glibc
import Manifests
import Platform

/// The program `waymark-inspector`: looks at what only root may see, for a daemon that holds no capability.
///
/// It receives a process number, or a user and a folder, and nothing else. It forwards what it reads without parsing it.
/// What it may see is which program a process runs, the manifests of a user in that user's own folder, and when that user's
/// home was made.
public enum InspectorProcess {
    /// Answers what is asked on the socket that is its standard input, until that ends; the exit code.
    public static func run() -> Int32 {
        // No core: less than a file needs, and the one value at which the kernel gives a handler none, core(5).
        var limit = rlimit(rlim_cur: 1, rlim_max: 1)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        // Whoever started it may have left more open.
        let socket = STDIN_FILENO
        var kind: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(socket, SOL_SOCKET, SO_TYPE, &kind, &length) == 0, kind == Int32(SOCK_SEQPACKET.rawValue)
        else { return 2 }
        var buffer = [UInt8](repeating: 0, count: InspectorRequest.mostBytes)
        while true {
            let count = recv(socket, &buffer, buffer.count, Int32(MSG_TRUNC))
            if count < 0, errno == EINTR { continue }
            // Nobody is there any more, however that came.
            guard count > 0 else { return 0 }
            guard count <= buffer.count, let request = InspectorRequest(buffer[..<count]) else { return 1 }
            guard answer(request, on: socket) else { return 0 }
        }
    }

    private static func answer(_ request: InspectorRequest, on socket: Int32) -> Bool {
        switch request {
        case .program(let processID):
            return send(.program(ProgramEvidence.of(processID: processID)), on: socket)
        case .manifests(let userID, let folder):
            return answer(ManifestFolder(path: folder, owner: .user(userID)), of: userID, on: socket)
        case .home(let userID, let path):
            let birth = path.contains("/../") ? nil : DirectoryBirth.microseconds(of: path, owner: userID)
            return sendBirth(birth, on: socket) && send(.end, on: socket)
        }
    }

    /// Tells how old a home is, where that is known.
    private static func sendBirth(_ birth: Int64?, on socket: Int32) -> Bool {
        birth.map { send(.home(bornMicroseconds: $0), on: socket) } ?? true
    }

    /// The watch comes first: it reports changes that are made while the folder is read.
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
