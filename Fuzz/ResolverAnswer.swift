// Feeds bytes to the parser of a resolver's reply, and its contents to the checks of names and addresses. Compiled
// together with the reply type of Sources/Resolver.

import NetworkPaths

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let answer = NameAnswer(lines: bytes) {
        precondition(bytes.count <= NameAnswer.mostBytes, "no reply is longer than the limit")
        precondition(
            NameAnswer(lines: Array(answer.text.utf8)) == answer, "an encoded reply is decoded as the same reply")
        if case .addresses(let addresses) = answer {
            precondition(
                (1...NameAnswer.mostAddresses).contains(addresses.count), "the number of addresses is within its limits"
            )
        }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    if let name = HostName(text) {
        precondition(name.description.utf8.count <= HostName.mostBytes + 1, "no name is longer than the limit")
        precondition(!text.unicodeScalars.contains { $0.value < 0x21 || $0.value == 0x7f }, "a name has no blanks")
        precondition(HostName(name.folded) == name, "names differing in case only are equal")
        precondition(HostAddress(text) == nil, "a name is no address")
    }
    if let address = HostAddress(text) {
        precondition(HostAddress(address.description) == address, "a written address is read as the same address")
    }
    return 0
}
