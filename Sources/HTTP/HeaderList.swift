import CCurl
import Platform
import Upload

/// The header lines for libcurl, CURLOPT_HTTPHEADER(3). They are nearly always those of the request before, except for
/// the idempotency key, which is a separate line before the others.
@DaemonActor
final class HeaderList {
    private static let keyName = "Idempotency-Key: "

    /// The owner of the authorization line, which libcurl reads in place.
    private let authorization: AuthorizationHeader?
    private let authorizationEntry: UnsafeMutablePointer<curl_slist>
    private let keyEntry: UnsafeMutablePointer<curl_slist>
    private var keyLine: UnsafeMutableBufferPointer<CChar>
    /// The other lines, and the headers they were made from.
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

    /// The list for these headers and, unless it is empty, this key: valid until the next call.
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
        // The user agent is an ordinary line, because libcurl would otherwise write it separately for each request. The
        // empty `Expect` lets no request wait for permission to send its body.
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
