import Configuration
import Upload

// Feeds bytes to the parser of the files of destinations. Compiled together with Sources/Destinations.

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let file = DestinationFile(reading: input, as: "f")
    for problem in file.problems {
        let steers = problem.description.unicodeScalars.contains { $0.properties.generalCategory == .control }
        precondition(!steers, "a message contains no control characters for a terminal")
    }
    guard file.problems.isEmpty, let url = file.configuration.destination.url else { return 0 }
    precondition(file.configuration.objections.isEmpty, "a valid destination has no objections")
    do {
        let again = try DestinationURL(parsing: url.text)
        precondition(again == url, "a written address is read as the same address")
    } catch {
        preconditionFailure("a written address can be read again: \(error)")
    }
    return 0
}
