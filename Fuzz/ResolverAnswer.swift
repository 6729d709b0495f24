// Feeds bytes to what reads a resolver's answer, and what they say to the checks of names and addresses. Compiled
// together with the answer of Sources/Resolver.

import NetworkPaths

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let answer = NameAnswer(lines: bytes) {
        precondition(bytes.count <= NameAnswer.mostBytes, "no answer is longer than what is read of one")
        precondition(NameAnswer(lines: Array(answer.text.utf8)) == answer, "an answer reads back as the same")
        if case .addresses(let addresses) = answer {
            precondition((1...NameAnswer.mostAddresses).contains(addresses.count), "there are some, and not too many")
        }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    if let name = HostName(text) {
        precondition(name.description.utf8.count <= HostName.mostBytes + 1, "no name is longer than any can be")
        precondition(!text.unicodeScalars.contains { $0.value < 0x21 || $0.value == 0x7f }, "a name has no blanks")
        precondition(HostName(name.folded) == name, "capitals make no other name")
        precondition(HostAddress(text) == nil, "a name is no address")
    }
    if let address = HostAddress(text) {
        precondition(HostAddress(address.description) == address, "an address reads back as the same")
    }
    return 0
}
