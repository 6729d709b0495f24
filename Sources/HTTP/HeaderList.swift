import CCurl
import Platform
import Upload

/// The lines of a request's head that libcurl is given, CURLOPT_HTTPHEADER(3). They are nearly always those of the request
/// before, but for the idempotency key, which has a line of its own before the others.
@DaemonActor
final class HeaderList {
    private static let keyName = "Idempotency-Key: "

    /// What keeps its line good, which libcurl reads where it is.
    private let authorization: AuthorizationHeader?
    private let authorizationEntry: UnsafeMutablePointer<curl_slist>
    private let keyEntry: UnsafeMutablePointer<curl_slist>
    private var keyLine: UnsafeMutableBufferPointer<CChar>
    /// The other lines, and what they were made of.
    private var lines: UnsafeMutablePointer<curl_slist>?
    private var headers: [HTTPAnswer.Header]?

    /// A list without lines.
    init(_ authorization: AuthorizationHeader?) {
        self.authorization = authorization
        authorizationEntry = .allocate(capacity: 1)
        authorizationEntry.initialize(to: curl_slist(data: authorization?.text, next: nil))
        keyLine = .allocate(capacity: 128)
        keyEntry = .allocate(capacity: 1)
        keyEntry.initialize(to: curl_slist(data: keyLine.baseAddress, next: nil))
    }

    /// The list for these headers and, unless it is empty, this key: good until the next call.
    func list(_ headers: [HTTPAnswer.Header], key: String) throws(HTTPSetupError) -> UnsafeMutablePointer<curl_slist>? {
        if headers != self.headers { try set(headers) }
        authorizationEntry.pointee.next = lines
        let others = authorization == nil ? lines : authorizationEntry
        guard !key.isEmpty else { return others }
        guard HTTPRequest.isValue(key) else { throw .malformedRequest }
        write(key)
        keyEntry.pointee.next = others
        return keyEntry
    }

    private func set(_ headers: [HTTPAnswer.Header]) throws(HTTPSetupError) {
        guard HTTPRequest.areWellFormed(headers) else { throw .malformedRequest }
        self.headers = nil
        curl_slist_free_all(lines)
        lines = nil
        // The sender's name is a line like the others, which libcurl writes once and not twice; no request waits for leave to send
        // its body.
        for line in headers.map({ "\($0.name): \($0.value)" }) + ["User-Agent: waymark-upload", "Expect:"] {
            guard let longer = curl_slist_append(lines, line) else { throw .library }
            lines = longer
        }
        self.headers = headers
    }

    private func write(_ key: String) {
        let count = Self.keyName.utf8.count + key.utf8.count
        if count >= keyLine.count {
            keyLine.deallocate()
            keyLine = .allocate(capacity: count + 1)
            keyEntry.pointee.data = keyLine.baseAddress
        }
        UnsafeMutableRawBufferPointer(keyLine).copyBytes(from: Self.keyName.utf8)
        UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(keyLine)[Self.keyName.utf8.count...])
            .copyBytes(from: key.utf8)
        keyLine[count] = 0
    }

    isolated deinit {
        curl_slist_free_all(lines)
        authorizationEntry.deallocate()
        keyEntry.deallocate()
        keyLine.deallocate()
    }
}
