import Glibc

extension PeerEvidence {
    /// The evidence that a process would have if it connected. For diagnosis only and not for decisions, because
    /// another process may get the number in the meantime.
    ///
    /// The user is the effective one, as of a socket's peer: /proc/PID/status, proc(5).
    public static func ofProcess(_ processID: pid_t) throws(SystemError) -> PeerEvidence {
        let path = "/proc/\(processID)/status"
        let bytes = try BoundedFile.bytes(of: path, limit: 65_536)
        let line = bytes.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "Uid:".utf8) }
        let numbers = (line ?? []).split { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
        guard numbers.count > 2, let userID = UInt32(String(decoding: numbers[2], as: UTF8.self)) else {
            throw SystemError("understand", code: EPROTO, subject: path)
        }
        return PeerEvidence(
            processID: processID, userID: userID, controlGroup: group(ofProcess: processID),
            program: ProgramEvidence.of(processID: processID), isRacy: true)
    }

    private static func group(ofProcess processID: pid_t) -> ControlGroup? {
        do throws(SystemError) { return try ControlGroup.of(processID: processID) } catch { return nil }
    }
}
