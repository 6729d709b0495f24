import JSONText
import Location

// Feeds bytes to the parsers of sync: requests, answers, pages and change tokens. Compiled together with Sources/Records.

/// A signer that accepts every code, so that the parser of tokens is reached.
private struct CredulousSigner: TokenSigner {
    func code(of message: [UInt8]) -> [UInt8] { [0] }
    func isCode(_ code: [UInt8], of message: [UInt8]) -> Bool { true }
    func seal(_ message: [UInt8], _ place: [UInt8]) -> [UInt8] { message }
    func open(_ sealed: [UInt8], _ place: [UInt8]) -> [UInt8]? { sealed }
    func digest(of message: [UInt8]) -> [UInt8] { [] }
}

/// libFuzzer's entry: a byte for the parser, and its text.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first, let name = ContainerName("c"), let owner = AccountID("a") else { return 0 }
    let text = Array(input.dropFirst())
    let container = Container(name)
    let zone = ZoneID(container, owner: owner, .defaultZone)
    switch first {
    case UInt8(ascii: "r"):
        check(text, { (json) throws(FormatError) in try ModifyRecords(zone, json: json) }, \.json)
    case UInt8(ascii: "z"):
        check(text, { (json) throws(FormatError) in try ModifyZones(container, of: owner, json: json) }, \.json)
    case UInt8(ascii: "s"):
        check(text, { (json) throws(FormatError) in try ModifySharing(zone, json: json) }, \.json)
    case UInt8(ascii: "q"):
        check(text, { (json) throws(FormatError) in try Query(json: json) }, \.json)
    case UInt8(ascii: "R"):
        check(text, { (json) throws(FormatError) in try ModifyRecordsAnswer(json: json) }, \.json)
    case UInt8(ascii: "Z"):
        check(text, { (json) throws(FormatError) in try ModifyZonesAnswer(json: json) }, \.json)
    case UInt8(ascii: "S"):
        check(text, { (json) throws(FormatError) in try ModifySharingAnswer(json: json) }, \.json)
    case UInt8(ascii: "c"):
        check(text, { (json) throws(FormatError) in try ZoneChanges(json: json) }, \.json)
        compareWithReading(text)
    case UInt8(ascii: "d"):
        check(text, { (json) throws(FormatError) in try DatabaseChanges(container, json: json) }, \.json)
    case UInt8(ascii: "u"):
        check(text, { (json) throws(FormatError) in try Subscription.Subject(container, json: json) }, \.json)
    case UInt8(ascii: "P"):
        if let device = DeviceID("d") {
            let target = AccountDevice(owner, device)
            check(text, { (json) throws(FormatError) in try [Push](to: target, json: json) }, \.json)
        }
    case UInt8(ascii: "p"):
        if let position = QueryPosition(bytes: text) {
            precondition(QueryPosition(bytes: position.bytes) == position, "a position is written as it was read")
        }
    default:
        if let token = ChangeToken(text, for: .zone(zone), CredulousSigner()) {
            let again = token.bytes(for: .zone(zone), CredulousSigner())
            precondition(again.dropLast() == text[..<26], "a token is written as it was read")
        }
    }
    return 0
}

/// A page that is accepted without reading its records is the same page if they are read.
private func compareWithReading(_ text: [UInt8]) {
    guard let scanned = WrittenZoneChanges(scanning: text) else { return }
    do throws(FormatError) {
        let read = try WrittenZoneChanges(reading: text)
        let (page, expected) = (try scanned.page(), try read.page())
        precondition(page == expected, "the page is the same")
        precondition(scanned.changed.map(\.text) == read.changed.map(\.text), "the texts are the same")
        precondition(scanned.changed.map(\.size) == read.changed.map(\.size), "the sizes are the same")
        precondition(scanned.changed.map(\.hasAssets) == read.changed.map(\.hasAssets), "the assets are the same")
    } catch {
        preconditionFailure("a page that is accepted can be read: \(error)")
    }
}

/// What is read is written as a text that is read as the same value.
private func check<Value: Equatable>(
    _ text: [UInt8], _ read: ([UInt8]) throws(FormatError) -> Value, _ written: (Value) -> [UInt8]
) {
    do throws(FormatError) {
        let value = try read(text)
        let json = written(value)
        do throws(FormatError) {
            let again = try read(json)
            precondition(again == value, "a value that was read is written as the same one")
        } catch {
            preconditionFailure("what was written can be read: \(error)")
        }
    } catch {
        precondition(!error.description.isEmpty, "an error has a sentence")
    }
}
