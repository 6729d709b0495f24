import CLinux
import Glibc
import Inspector
import Manifests
import Platform

/// A user's own manifests as they were read on a thread: by the daemon itself, or by a `waymark-inspector` for a daemon that
/// may not look into homes.
struct PersonalManifests: Sendable {
    /// What the folder has, understood.
    var contents: ManifestFolder.Contents
    /// The descriptor that tells of changes, which is the holder's to close, with what is of interest; nil where there is
    /// none.
    var watch: Watch?
    /// Why changes are not noticed; nil where they are.
    var watchProblem: String?
    /// When the home was made, in microseconds since 1970; nil where that is not known, see `DirectoryBirth`.
    var homeBirth: Int64?

    /// A watch that was handed over.
    struct Watch: Sendable {
        var descriptor: Int32
        var interests: [Int32: WatchedPaths.Interest]
    }

    private static let seconds = 20.0
    /// As many files as a folder may have, and what comes beside them.
    private static let mostAnswers = ManifestFolder.maximumPersonalFiles + 8

    /// Reads the folder, and waits for its disk: not for the loop's thread.
    init(reading folder: ManifestFolder, of user: UInt32) {
        homeBirth = folder.homeBirth(of: user)
        do throws(SystemError) {
            // The watch comes first: it tells what changes while the folder is read.
            let paths = try WatchedPaths([folder.path])
            let number = fcntl(paths.number, F_DUPFD_CLOEXEC, 3)
            guard number >= 0 else { throw SystemError("keep a watch") }
            watch = Watch(descriptor: number, interests: paths.interests)
        } catch {
            watchProblem = "\(error)"
        }
        contents = folder.read()
    }

    /// Looks at the age of the home alone, and waits for its disk: not for the loop's thread.
    init(ignoring folder: ManifestFolder, of user: UInt32) {
        homeBirth = folder.homeBirth(of: user)
        contents = ManifestFolder.Contents(of: folder)
    }

    /// Asks at this socket, and waits: not for the loop's thread. Where manifests do not count, for the age of the home alone.
    init(
        of folder: ManifestFolder, user: UInt32, queryingAt socket: String, readsManifests: Bool
    ) throws(SystemError) {
        contents = ManifestFolder.Contents(of: folder)
        let connection = try UnixSocket.connectAtOnce(path: socket, .messages)
        let request: [UInt8]
        if readsManifests {
            request = InspectorRequest.manifests(userID: user, folder: folder.path).bytes
        } else {
            request = InspectorRequest.home(userID: user, path: folder.home ?? "/").bytes
        }
        let number = connection.number
        try retrying("ask waymark-inspector") { send(number, request, request.count, Int32(MSG_NOSIGNAL)) }
        let deadline = PollDeadline(seconds: Self.seconds)
        do throws(SystemError) {
            for _ in 0..<Self.mostAnswers { if try receive(from: number, until: deadline) { return } }
            throw SystemError("understand waymark-inspector", code: EPROTO)
        } catch {
            if let watch { _ = close(watch.descriptor) }
            throw error
        }
    }

    /// Takes one answer; whether it was the last.
    private mutating func receive(from number: Int32, until deadline: PollDeadline) throws(SystemError) -> Bool {
        guard try deadline.poll(number, for: POLLIN) else {
            throw SystemError("wait for waymark-inspector", code: ETIMEDOUT)
        }
        var descriptor: Int32 = -1
        var buffer = [UInt8](repeating: 0, count: InspectorAnswer.mostBytes)
        let count = try retrying("hear waymark-inspector") {
            buffer.withUnsafeMutableBytes {
                waymark_receive_message(number, $0.baseAddress, $0.count, &descriptor)
            }
        }
        guard count > 0 else { throw SystemError("hear waymark-inspector", code: ECONNRESET) }
        switch InspectorAnswer(buffer[..<count]) {
        case .watched(let interests) where descriptor >= 0 && watch == nil:
            watch = Watch(descriptor: descriptor, interests: interests)
            return false
        case .home(let birth): homeBirth = birth
        case .unwatched(let why): watchProblem = why
        case .found(let finding): contents.append(finding)
        case .end: return true
        default:
            if descriptor >= 0 { _ = close(descriptor) }
            throw SystemError("understand waymark-inspector", code: EPROTO)
        }
        if descriptor >= 0 { _ = close(descriptor) }
        return false
    }
}
