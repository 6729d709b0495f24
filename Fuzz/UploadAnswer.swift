import Location

// Feeds bytes to the evaluation of destinations' responses. Compiled together with Sources/Upload.

/// libFuzzer's entry: two bytes for the format and the status, then `Retry-After`, `Date`, `Location` and the body,
/// with zeros between.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count >= 2 else { return 0 }
    let format = UploadFormat.all[Int(input[0]) % UploadFormat.all.count]
    let status = 100 + Int(input[0] / 4 % 2) * 256 + Int(input[1])
    var parts = input[2...].split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false).map(Array.init)
    let body = parts.removeLast()
    let headers = zip(["Retry-After", "Date", "Location"], parts).map { name, value in
        HTTPAnswer.Header(name, String(decoding: value, as: UTF8.self))
    }
    let answer = HTTPAnswer(status: status, headers: headers, body: body)
    let now = UTCTime(microseconds: 1_780_300_800_000_000)
    check(AnswerClassifier.verdict(on: answer, format: format, url: nil, at: now), on: answer)
    // A response may contain commands; with a key, what it decrypts is as hostile.
    let commands = [format.commands(body, nil), format.commands(body) { $0 }]
    precondition(commands.allSatisfy { $0.ignored <= 256 }, "the number of commands is limited")
    precondition(
        !format.commands(body) { _ in nil }.reportsLocation, "with a key, what it does not decrypt commands nothing")
    return 0
}

private func check(_ verdict: Verdict, on answer: HTTPAnswer) {
    switch verdict {
    case .acknowledged:
        precondition(
            (200..<300).contains(answer.status) && !answer.isMarkup, "an acknowledgement has a status of success")
    case .rejected(let letter), .tooLarge(let letter):
        precondition(
            (400..<500).contains(answer.status) && letter.status == answer.status,
            "a rejection has a status of 400 to 499")
        let steers = letter.message.unicodeScalars.contains { $0.properties.generalCategory == .control }
        precondition(
            !steers && letter.message.unicodeScalars.count <= 161,
            "a message contains no control characters for a terminal")
    case .blocked: precondition((300..<500).contains(answer.status), "a blocking response has a status of 300 to 499")
    case .later(_, let asked):
        precondition(asked ?? .zero >= .zero, "no delay is negative")
        precondition(
            RetryPolicy.delay(after: 1, random: 0.5, requested: asked) <= RetryPolicy.longest,
            "no delay is longer than the limit")
    }
}
