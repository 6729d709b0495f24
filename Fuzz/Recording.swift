// Feeds bytes to the code that splits a recording into sentences and reads their times. Compiled together with that
// part of Sources/Replay.

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let ranges = SentenceSplitter.split(bytes)
    var end = 0
    var schedule = SentenceSchedule()
    var previous: UInt64 = 0
    for range in ranges {
        precondition(range.lowerBound == end && !range.isEmpty, "the parts follow each other")
        precondition(range.count <= SentenceSplitter.longestSentence, "no part is longer than one write")
        end = range.upperBound
        let offset = schedule.offset(of: bytes[range])
        precondition(offset >= previous, "no part is due before the previous one")
        precondition(offset - previous <= SentenceSchedule.longestSilence, "no wait is longer than the longest silence")
        previous = offset
    }
    precondition(end == bytes.count, "the parts are all the bytes")
    return 0
}
