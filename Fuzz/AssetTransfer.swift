import HTTP
import Upload

// Feeds bytes to what the transfer of an asset reads: the hub the range that a client wants, and waymark-sync the answer of a hub. Compiled
// together with ByteRange.swift of the module Hub and HubReply.swift of the module Sync.

/// libFuzzer's entry: a byte for the side, and its input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let input = FuzzInput(start, count), input.rest.count >= 2 else { return 0 }
    if input.choice % 2 == 0 { checkRange(input.rest) } else { checkReply(input.rest) }
    return 0
}

/// Two bytes for the size, and the value of `Range`.
private func checkRange(_ input: [UInt8]) {
    let size = Int64(input[0]) << 8 | Int64(input[1])
    switch ByteRange.read(String(decoding: input.dropFirst(2), as: UTF8.self), size: size) {
    case .ignored, .unsatisfiable: break
    case .range(let range):
        precondition(range.first >= 0 && range.count > 0, "a range has bytes")
        precondition(range.first + range.count <= size, "a range ends with what there is")
        let header = range.header(of: size)
        precondition(header.hasSuffix("/\(size)"), "the answer has the size")
        let again = "bytes=" + header.dropFirst("bytes ".count).prefix { $0 != "/" }
        precondition(ByteRange.read(again, size: size) == .range(range), "a range is written as it was read")
    }
}

/// Two bytes for the status, then `Upload-Offset`, `Upload-Complete`, `Retry-After` and the body, with zeros between.
private func checkReply(_ input: [UInt8]) {
    let status = 100 + (Int(input[0]) << 8 | Int(input[1])) % 500
    var parts = input[2...].split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false).map(Array.init)
    let body = parts.removeLast()
    let headers = zip(["Upload-Offset", "Upload-Complete", "Retry-After"], parts).map { name, value in
        HTTPAnswer.Header(name, String(decoding: value, as: UTF8.self))
    }
    let reply = HubReply(.answered(HTTPAnswer(status: status, headers: headers, body: body)))
    switch reply {
    case .uploaded(let offset, _):
        precondition(offset >= 0 && [201, 204, 409].contains(status), "only an upload has progress")
    case .done: precondition([200, 201, 204].contains(status), "only a request that was fulfilled is done")
    case .later(_, let message):
        precondition(status == 429 || status >= 500, "only a hub that is busy asks for a pause")
        checkMessage(message)
    case .refused(_, let message), .objected(let message), .notAccepted(let message): checkMessage(message)
    case .uploadDiffers, .strange: break
    case .failed: preconditionFailure("an answer is one")
    }
}

/// A message of a hub is shown in a terminal.
private func checkMessage(_ message: String) {
    let steers = message.unicodeScalars.contains { $0.properties.generalCategory == .control }
    precondition(!steers && message.unicodeScalars.count <= 400, "a message cannot control a terminal")
}
