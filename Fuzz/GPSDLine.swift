// Feeds bytes to the parser of gpsd's lines, and through it to libgps. Compiled together with that part of
// Sources/GPSD.
//
// The first byte says how the others are split into pieces.

import Location

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let control = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    let whole = lines(of: bytes, pieceLength: max(1, bytes.count))
    let pieces = lines(of: bytes, pieceLength: 1 + Int(control))
    precondition(whole == pieces, "the lines do not depend on how the input was split")
    var used = ReportDecoder()
    for line in whole {
        var fresh = ReportDecoder()
        precondition(
            result(line, &used) == result(line, &fresh), "nothing is left in a report from the lines before it")
    }
    return 0
}

private func lines(of bytes: [UInt8], pieceLength: Int) -> [[UInt8]] {
    var splitter = LineSplitter(limit: 4096)
    var lines: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: pieceLength) {
        let piece = bytes.span.extracting(start..<min(start + pieceLength, bytes.count))
        splitter.feed(piece) { line in lines.append(line.withUnsafeBufferPointer { Array($0) }) }
    }
    return lines
}

private func result(_ line: [UInt8], _ decoder: inout ReportDecoder) -> Result<Report, LineFault> {
    do throws(LineFault) { return .success(try decoder.decode(line.span)) } catch { return .failure(error) }
}
