import Glibc

extension PeerEvidence {
    /// What would be found out about a process if it connected: for who wants to know, not to decide anything by, as the
    /// number may be taken by another process meanwhile.
    ///
    /// The user is its effective one, as a socket's peer has it: /proc/PID/status, proc(5).
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
