import Glibc

/// Distinguishes successive processes with the same number: by the effective user and the start time, proc(5).
struct ProcessRecord: Equatable {
    /// Clock ticks from the start of the machine to the start of the process.
    let startTime: UInt64
    /// The effective user.
    let effectiveUser: uid_t

    /// The record of the process with this number; nil if there is none, or it may not be read.
    init?(_ processID: pid_t) {
        do {
            let status = try BoundedFile.bytes(of: "/proc/\(processID)/status", limit: 65_536)
            let stat = try BoundedFile.bytes(of: "/proc/\(processID)/stat", limit: 65_536)
            guard let user = Self.effectiveUser(status), let start = Self.startTime(stat) else { return nil }
            (startTime, effectiveUser) = (start, user)
        } catch {
            return nil
        }
    }

    /// The second number of the line `Uid:`.
    static func effectiveUser(_ status: [UInt8]) -> uid_t? {
        for line in status.split(separator: UInt8(ascii: "\n")) where line.starts(with: "Uid:".utf8) {
            let numbers = line.dropFirst(4).split { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
            return numbers.count > 1 ? uid_t(String(decoding: numbers[1], as: UTF8.self)) : nil
        }
        return nil
    }

    /// The 22nd field. The second field is the name in parentheses, which may contain any characters, including
    /// parentheses and spaces.
    static func startTime(_ stat: [UInt8]) -> UInt64? {
        guard let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = stat[(end + 1)...].split(separator: UInt8(ascii: " "))
        return fields.count > 19 ? UInt64(String(decoding: fields[19], as: UTF8.self)) : nil
    }
}
