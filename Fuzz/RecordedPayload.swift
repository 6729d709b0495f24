import Location
import Storage

// Feeds bytes to the parser of the payloads of recordings. Compiled together with that part of Sources/Journal.

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    do throws(PayloadError) {
        let position = try PositionPayload.decode(input)
        preconditionEncodes(position)
        let timestamp = try PositionPayload.timestamp(input)
        precondition(timestamp == position.timestamp, "the time decoded alone is the time of the position")
    } catch {
        precondition(count < 1 << 20, "invalid bytes are refused with an error")
    }
    do throws(PayloadError) {
        let (position, message) = try DeadLetterPayload.decode(input)
        preconditionEncodes(position)
        precondition(message.utf8.count <= 3 * DeadLetterPayload.longestMessage, "a message is bounded")
        let alone = try DeadLetterPayload.position(input)
        preconditionReads(DeadLetterPayload.bytes(alone, message: message)) { bytes throws(PayloadError) in
            try DeadLetterPayload.decode(bytes).position == position
        }
    } catch {
        precondition(count < 1 << 20, "invalid bytes are refused with an error")
    }
    return 0
}

private func preconditionEncodes(_ position: Position) {
    var bytes: [UInt8] = []
    precondition(PositionPayload.append(position, to: &bytes), "a decoded position can be encoded")
    precondition(bytes.count <= PositionPayload.longest, "no payload is longer than the longest")
    preconditionReads(bytes) { bytes throws(PayloadError) in try PositionPayload.decode(bytes) == position }
}

private func preconditionReads(
    _ bytes: [UInt8], as isSame: (UnsafeRawBufferPointer) throws(PayloadError) -> Bool
) {
    bytes.withUnsafeBytes { bytes in
        do throws(PayloadError) {
            let same = try isSame(bytes)
            precondition(same, "an encoded position is decoded as the same position")
        } catch {
            preconditionFailure("an encoded position can be decoded: \(error)")
        }
    }
}
