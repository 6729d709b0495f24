// Feeds bytes to the parser of clients' messages. Compiled together with the pure part of Sources/Varlink.
//
// The first byte says how the others are split into pieces; its highest bit, that they are the text of an interface
// instead.

import JSONText

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let control = input.first else { return 0 }
    if control & 0x80 != 0 {
        fuzzInterface(String(decoding: input.dropFirst(), as: UTF8.self))
    } else {
        fuzzStream(input.dropFirst(), pieceLength: 1 + Int(control) * 3)
    }
    return 0
}

private func fuzzStream(_ bytes: ArraySlice<UInt8>, pieceLength: Int) {
    var framer = MessageFramer(limit: 2_048)
    var messages: [[UInt8]] = []
    var rest = bytes
    while !rest.isEmpty {
        do throws(MessageFramer.TooLong) { try framer.append(rest.prefix(pieceLength), at: 1) } catch { break }
        rest = rest.dropFirst(pieceLength)
        while let message = framer.next() { messages.append(message) }
    }
    if rest.isEmpty {
        let expected = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map(Array.init)
        precondition(messages == expected, "messages are split at the NULs")
    }
    messages.forEach(fuzzMessage)
}

private func fuzzMessage(_ message: [UInt8]) {
    if let json = succeeding({ () throws(JSONError) in try JSON.parse(message) }) {
        let again = succeeding { () throws(JSONError) in try JSON.parse(json.bytes) }
        precondition(again == json, "a written value is read as the same value")
        precondition(Oracle.parse(message) == json, "json-c reads the same")
    }
    if let request = succeeding({ () throws(MalformedMessage) in try CallRequest(parsing: message) }) {
        let again = succeeding { () throws(MalformedMessage) in try CallRequest(parsing: request.encoded.dropLast()) }
        precondition(again == request, "an encoded call is decoded as the same call")
        fuzzParameters(request.parameters)
    }
    if let reply = succeeding({ () throws(MalformedMessage) in try Reply(parsing: message) }) {
        for member in reply.parameters.objectValue ?? [] {
            guard let raw = reply.rawParameter(member.key) else { preconditionFailure("each parameter has bytes") }
            let value = succeeding { () throws(JSONError) in try JSON.parse(raw, maximumDepth: 64) }
            precondition(value == member.value, "the raw bytes are the parameter's value")
        }
    }
}

private let interfaceText = """
    interface fuzz.validation
    type T (a: ?[]T, b: ?[string]T, c: ?(x, y), d: ?object)
    method M(a: ?int, b: ?float, c: ?string, d: ?bool, x: ?T) -> ()
    """

private func fuzzParameters(_ parameters: JSON) {
    // Created each time: the leak checker does not follow a global's tagged pointers.
    let interface = succeeding { () throws(InterfaceSyntaxError) in try InterfaceDescription(parsing: interfaceText) }
    guard let interface, let method = interface.methods["M"] else { preconditionFailure("the text is well-formed") }
    _ = succeeding { () throws(InvalidParameter) in try interface.validate(parameters, against: method.input) }
}

private func fuzzInterface(_ text: String) {
    guard let interface = succeeding({ () throws(InterfaceSyntaxError) in try InterfaceDescription(parsing: text) })
    else { return }
    let again = succeeding { () throws(InterfaceSyntaxError) in try InterfaceDescription(parsing: interface.prettyText)
    }
    precondition(again?.members == interface.members, "the formatted text has the same meaning")
}

/// The result, or nil where it failed, as it has to for most input.
private func succeeding<Value, Failure: Error>(_ body: () throws(Failure) -> Value) -> Value? {
    do { return try body() } catch { return nil }
}
