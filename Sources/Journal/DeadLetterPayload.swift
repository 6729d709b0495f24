import Location
import Storage

/// A dead letter's position and its destination's message as bytes, version 1: Documentation/storage.md has the table.
enum DeadLetterPayload {
    /// The number of UTF-8 bytes of a message that are stored.
    static let longestMessage = 1_024

    private static let version: UInt8 = 1

    /// The bytes of a dead letter for the bytes of a position.
    static func bytes(_ position: [UInt8], message: String) -> [UInt8] {
        var bytes: [UInt8] = [version]
        LEB128.append(Int64(position.count), to: &bytes)
        bytes.append(contentsOf: position)
        bytes.append(contentsOf: beginning(of: message))
        return bytes
    }

    /// The position and the message.
    static func decode(_ bytes: UnsafeRawBufferPointer) throws(PayloadError) -> (position: Position, message: String) {
        let range = try rangeOfPosition(bytes)
        let position = try PositionPayload.decode(UnsafeRawBufferPointer(rebasing: bytes[range]))
        if bytes.count - range.upperBound > longestMessage { throw .tooLong }
        return (position, String(decoding: bytes[range.upperBound...], as: UTF8.self))
    }

    /// The bytes of the position alone, without a check of their contents.
    static func position(_ bytes: UnsafeRawBufferPointer) throws(PayloadError) -> [UInt8] {
        Array(bytes[try rangeOfPosition(bytes)])
    }

    private static func rangeOfPosition(_ bytes: UnsafeRawBufferPointer) throws(PayloadError) -> Range<Int> {
        guard let first = bytes.first else { throw .tooShort }
        if first != version { throw .version(first) }
        var offset = 1
        let count = try LEB128.decode(bytes, at: &offset)
        guard count >= 0 else { throw .number }
        guard count <= bytes.count - offset else { throw .tooShort }
        return offset..<(offset + Int(count))
    }

    /// The longest prefix of whole characters that fits.
    private static func beginning(of message: String) -> Substring.UTF8View {
        if message.utf8.count <= longestMessage { return message[...].utf8 }
        var end = message.utf8.index(message.startIndex, offsetBy: longestMessage)
        while end.samePosition(in: message.unicodeScalars) == nil { end = message.utf8.index(before: end) }
        return message[..<end].utf8
    }
}
