import CLinux
import Glibc
import Inspector
import Manifests
import Platform

/// A user's own manifests, read on a thread by the daemon itself, or by a `waymark-inspector` if the daemon may not
/// read homes.
struct PersonalManifests: Sendable {
    /// The parsed content of the folder.
    var contents: ManifestFolder.Contents
    /// The descriptor that reports changes, to be closed by its holder, and the names to watch for; nil if there is
    /// none.
    var watch: Watch?
    /// Why changes are not noticed; nil if they are.
    var watchProblem: String?
    /// The birth time of the home in microseconds since 1970; nil if unknown, see `DirectoryBirth`.
    var homeBirth: Int64?

    /// A watch that was received from the reader.
    struct Watch: Sendable {
        var descriptor: Int32
        var interests: [Int32: WatchedPaths.Interest]
    }

    private static let seconds = 20.0
    /// The maximum number of replies: one for each file that a folder may have, and the others.
    private static let mostAnswers = ManifestFolder.maximumPersonalFiles + 8

    /// Reads the folder. This may block on the disk, so it must not be called on the event loop's thread.
    init(reading folder: ManifestFolder, of user: UInt32) {
        homeBirth = folder.homeBirth(of: user)
        do throws(SystemError) {
            // The watch comes first, so that it reports changes during the read.
            let paths = try WatchedPaths([folder.path])
            let number = fcntl(paths.number, F_DUPFD_CLOEXEC, 3)
            guard number >= 0 else { throw SystemError("keep a watch") }
            watch = Watch(descriptor: number, interests: paths.interests)
        } catch {
            watchProblem = "\(error)"
        }
        contents = folder.read()
    }

    /// Reads the age of the home alone. This may block on the disk, so it must not be called on the event loop's
    /// thread.
    init(ignoring folder: ManifestFolder, of user: UInt32) {
        homeBirth = folder.homeBirth(of: user)
        contents = ManifestFolder.Contents(of: folder)
    }

    /// Queries the inspector at this socket. This blocks, so it must not be called on the event loop's thread. If
    /// manifests are disabled, only the age of the home is read.
    init(
        of folder: ManifestFolder, user: UInt32, queryingAt socket: String, readsManifests: Bool
    ) throws(SystemError) {
        let connection = try UnixSocket.connectAtOnce(path: socket, .messages)
        let request: [UInt8]
        if readsManifests {
            request = InspectorRequest.manifests(userID: user, folder: folder.path).bytes
        } else {
            request = InspectorRequest.home(userID: user, path: folder.home ?? "/").bytes
        }
        let number = connection.number
        try retrying("query waymark-inspector") { send(number, request, request.count, Int32(MSG_NOSIGNAL)) }
        try self.init(of: folder, repliesOn: number)
    }

    /// Reads the replies of an inspector from a socket, up to the last. This blocks.
    init(of folder: ManifestFolder, repliesOn number: Int32) throws(SystemError) {
        contents = ManifestFolder.Contents(of: folder)
        let deadline = PollDeadline(seconds: Self.seconds)
        do throws(SystemError) {
            for _ in 0..<Self.mostAnswers { if try receive(from: number, until: deadline) { return } }
            throw SystemError("decode the reply of waymark-inspector", code: EPROTO)
        } catch {
            if let watch { _ = close(watch.descriptor) }
            throw error
        }
    }

    /// Reads one reply. Returns whether it was the last.
    private mutating func receive(from number: Int32, until deadline: PollDeadline) throws(SystemError) -> Bool {
        guard try deadline.poll(number, for: POLLIN) else {
            throw SystemError("wait for waymark-inspector", code: ETIMEDOUT)
        }
        var descriptor: Int32 = -1
        // A descriptor that comes with any other reply than the one it belongs to is of no use.
        defer { if descriptor >= 0 { _ = close(descriptor) } }
        var buffer = [UInt8](repeating: 0, count: InspectorAnswer.mostBytes)
        let count = try retrying("read from waymark-inspector") {
            buffer.withUnsafeMutableBytes {
                waymark_receive_message(number, $0.baseAddress, $0.count, &descriptor)
            }
        }
        guard count > 0 else { throw SystemError("read from waymark-inspector", code: ECONNRESET) }
        switch InspectorAnswer(buffer[..<count]) {
        case .watched(let interests) where descriptor >= 0 && watch == nil:
            watch = Watch(descriptor: descriptor, interests: interests)
            descriptor = -1
        case .home(let birth): homeBirth = birth
        case .unwatched(let why): watchProblem = why
        case .found(let finding): contents.append(finding)
        case .end: return true
        default: throw SystemError("decode the reply of waymark-inspector", code: EPROTO)
        }
        return false
    }
}
