import CLinux
import Glibc

/// The descriptors of a child's three standard streams, from before its start until this process's ends are handed
/// over.
struct ChildStreams: ~Copyable {
    private var far: [Int32] = []
    private var near: [Int32] = []
    private var owned: [Int32] = []

    /// Opens the streams of a launch.
    init(_ launch: ChildProcess.Launch) throws(SystemError) {
        for (number, stream) in [launch.input, launch.output, launch.error].enumerated() {
            do {
                try add(stream, as: Int32(number), subject: launch.path)
            } catch {
                closeAll()
                throw error
            }
        }
    }

    private mutating func add(
        _ stream: ChildProcess.Stream, as number: Int32, subject: String
    ) throws(SystemError) {
        var farEnd = number
        var nearEnd: Int32 = -1
        switch stream {
        case .inherited: break
        case .descriptor(let descriptor): farEnd = descriptor
        case .null:
            farEnd = try retrying("open", subject: "/dev/null") { open("/dev/null", O_RDWR | O_CLOEXEC) }
            owned.append(farEnd)
        case .pipe:
            var ends: [Int32] = [-1, -1]
            try retrying("make a pipe for", subject: subject) { waymark_pipe_cloexec(&ends) }
            (farEnd, nearEnd) = number == 0 ? (ends[0], ends[1]) : (ends[1], ends[0])
            owned.append(farEnd)
            _ = fcntl(nearEnd, F_SETFL, O_NONBLOCK)
        }
        // Above the standard numbers, so that placing one stream cannot overwrite another one that is still to be
        // placed.
        if farEnd != number, farEnd <= 2 {
            let source = farEnd
            farEnd = try retrying("copy a descriptor for", subject: subject) { fcntl(source, F_DUPFD_CLOEXEC, 3) }
            owned.append(farEnd)
        }
        far.append(farEnd)
        near.append(nearEnd)
    }

    /// Starts the program with these streams, posix_spawn(3).
    borrowing func spawn(_ launch: ChildProcess.Launch) throws(SystemError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (number, descriptor) in far.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        waymark_spawn_close_from(&actions, 3)
        Self.prepare(&attributes, ownsGroup: launch.ownsGroup)

        let strings = [launch.path] + launch.arguments
        let environment = launch.environment?.map { "\($0.key)=\($0.value)" }.sorted()
        var pid: pid_t = 0
        let code = withCStrings(strings) { arguments in
            guard let environment else {
                return posix_spawn(&pid, launch.path, &actions, &attributes, arguments, environ)
            }
            return withCStrings(environment) { variables in
                posix_spawn(&pid, launch.path, &actions, &attributes, arguments, variables)
            }
        }
        guard code == 0 else { throw SystemError("start", code: code, subject: launch.path) }
        return pid
    }

    private static func prepare(_ attributes: inout posix_spawnattr_t, ownsGroup: Bool) {
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        if ownsGroup {
            flags |= POSIX_SPAWN_SETPGROUP
            posix_spawnattr_setpgroup(&attributes, 0)
        }
        posix_spawnattr_setflags(&attributes, Int16(flags))
    }

    /// Closes the child's ends and returns this process's ends, -1 for each stream that is no pipe.
    consuming func release() -> (Int32, Int32, Int32) {
        let ends = (near[0], near[1], near[2])
        near = []
        return ends
    }

    private mutating func closeAll() {
        for descriptor in owned + near where descriptor >= 0 { _ = close(descriptor) }
        owned = []
        near = []
    }

    deinit {
        for descriptor in owned + near where descriptor >= 0 { _ = close(descriptor) }
    }
}

/// Calls a function with a null-terminated array of C strings, as exec(3) requires it.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    pointers.append(nil)
    return body(&pointers)
}
