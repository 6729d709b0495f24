import Platform

/// A process's operation on the files below a folder: a record of the log that the shim writes.
enum DiskRecord: Equatable {
    case created(path: String, inode: UInt64)
    case madeDirectory(path: String)
    case written(inode: UInt64, offset: Int, bytes: ArraySlice<UInt8>)
    case truncated(inode: UInt64, size: Int)
    case syncBegun(inode: UInt64, token: UInt64)
    case syncDone(inode: UInt64, token: UInt64)
    case directorySyncBegun(path: String, token: UInt64)
    case directorySyncDone(path: String, token: UInt64)
    case renamed(from: String, to: String)
    case removed(path: String)
    case unsupported(String)
    /// The step of this number begins, or would begin if the process was not killed before it, see `StepCounter`.
    case step(number: Int, String)

    private static let headWords = 7
    private static let mark: UInt64 = 0x5741_5943

    /// The records of a log, up to one that a kill cut off.
    static func read(_ log: [UInt8]) throws(DiskLogError) -> [DiskRecord] {
        var records: [DiskRecord] = []
        var position = 0
        func word(_ index: Int) -> UInt64 {
            (0..<8).reduce(0) { $0 | UInt64(log[position + 8 * index + $1]) << (8 * UInt64($1)) }
        }
        while log.count - position >= 8 * headWords {
            guard word(6) == mark, let first = Int(exactly: word(4)), let second = Int(exactly: word(5)),
                let offset = Int(exactly: word(2))
            else { throw DiskLogError(description: "no record at byte \(position) of the log") }
            let begin = position + 8 * headWords
            guard log.count - begin >= first, log.count - begin - first >= second else { break }
            let one = log[begin..<(begin + first)]
            let two = log[(begin + first)..<(begin + first + second)]
            let text = { String(decoding: one, as: UTF8.self) }
            let inode = word(1)
            let token = word(3)
            switch word(0) {
            case 1: records.append(.created(path: text(), inode: inode))
            case 2: records.append(.madeDirectory(path: text()))
            case 3: records.append(.written(inode: inode, offset: offset, bytes: one))
            case 4: records.append(.truncated(inode: inode, size: offset))
            case 5: records.append(.syncBegun(inode: inode, token: token))
            case 6: records.append(.syncDone(inode: inode, token: token))
            case 7: records.append(.directorySyncBegun(path: text(), token: token))
            case 8: records.append(.directorySyncDone(path: text(), token: token))
            case 9: records.append(.renamed(from: text(), to: String(decoding: two, as: UTF8.self)))
            case 10: records.append(.removed(path: text()))
            case 11: records.append(.unsupported(text()))
            case 12: records.append(.step(number: Int(token), text()))
            case let kind: throw DiskLogError(description: "a record of kind \(kind)")
            }
            position = begin + first + second
        }
        return records
    }
}

/// The log contains an operation that the simulated disk does not support.
public struct DiskLogError: Error, CustomStringConvertible {
    /// The operation.
    public let description: String
}
