import Configuration
import Upload

// Feeds bytes to what reads the files of destinations. Compiled together with Sources/Destinations.

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let file = DestinationFile(reading: input, as: "f")
    for problem in file.problems {
        let steers = problem.description.unicodeScalars.contains { $0.properties.generalCategory == .control }
        precondition(!steers, "a message steers no terminal")
    }
    guard file.problems.isEmpty, let url = file.configuration.destination.url else { return 0 }
    precondition(file.configuration.objections.isEmpty, "what can be used is not objected to")
    do {
        let again = try DestinationURL(parsing: url.text)
        precondition(again == url, "an address is written so that it reads the same")
    } catch {
        preconditionFailure("an address is written so that it can be read: \(error)")
    }
    return 0
}
