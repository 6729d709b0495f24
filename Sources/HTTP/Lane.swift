import CCurl
import Glibc
import JSONText
import Platform
import Upload

/// A libcurl handle that carries one request after another, with everything libcurl refers to meanwhile.
@DaemonActor
final class Lane {
    /// The libcurl handle.
    let handle: UnsafeMutableRawPointer
    /// The owner of the memory that libcurl has pointers to.
    private let settings: HTTPSettings
    private let headers: HeaderList
    private let words: UnsafeMutablePointer<CChar>
    private var body: UnsafeMutableRawBufferPointer?
    /// The parsed URL: libcurl would parse it for each request, although it nearly always has the same origin.
    private let parts: OpaquePointer
    /// The URL that is already set on the handle.
    private var url: String?
    private var method: HTTPMethod?
    private let inbox: Inbox

    /// The context of libcurl's callbacks, which lives as long as the lane.
    private final class Inbox {
        var collector: AnswerCollector
        /// Receives the body of a stream of events; nil for a response that is collected.
        var part: (@Sendable ([UInt8]) -> Void)?

        init(longestBody: Int) { collector = AnswerCollector(longestBody: longestBody) }
    }

    /// Bodies up to this length leave their buffer for reuse and are sent to the kernel in one piece, for which libcurl
    /// copies them: otherwise the other side may have to wait for the rest until this process runs again.
    private static let pieceSize = 256 << 10

    /// A lane without a request.
    init(_ settings: HTTPSettings, _ authorization: AuthorizationHeader?) throws(HTTPSetupError) {
        guard let parts = curl_url() else { throw .library }
        guard let handle = curl_easy_init() else {
            curl_url_cleanup(parts)
            throw .library
        }
        self.parts = parts
        self.handle = handle
        self.settings = settings
        inbox = Inbox(longestBody: settings.longestAnswer)
        headers = HeaderList(authorization)
        words = .allocate(capacity: Int(CURL_ERROR_SIZE))
        words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        setUp()
        trust()
    }

    private func setUp() {
        set(CURLOPT_ERRORBUFFER, words)
        // Signals belong to the program. A lookup that hangs is abandoned together with its thread when it is no longer
        // needed.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_QUICK_EXIT, 1)
        text(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        // Proxies of the environment are ignored: a proxy would see positions, or at least their destination.
        text(CURLOPT_PROXY, "")
        set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        // Only gzip is accepted: every other encoding adds a parser of untrusted input.
        text(CURLOPT_ACCEPT_ENCODING, "gzip")
        set(CURLOPT_UPLOAD_BUFFERSIZE, Self.pieceSize)
        let milliseconds = Int(clamping: settings.connectTimeout.microseconds / 1_000)
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, milliseconds))
        waymark_curl_set_collectors(
            handle, Self.headCallback, Self.bodyCallback, Unmanaged.passUnretained(inbox).toOpaque())
    }

    private func trust() {
        let isPinned = settings.pinnedKey != nil
        set(CURLOPT_SSL_VERIFYPEER, isPinned ? 0 : 1)
        set(CURLOPT_SSL_VERIFYHOST, isPinned ? 0 : 2)
        if let key = settings.pinnedKey { text(CURLOPT_PINNEDPUBLICKEY, "sha256//" + Base64.text(key)) }
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // A changed file applies from the next connection on.
        set(CURLOPT_CA_CACHE_TIMEOUT, 0)
        if !settings.authorityFile.isEmpty {
            text(CURLOPT_CAINFO, settings.authorityFile)
            set(CURLOPT_CAPATH, nil)
        } else if let folder = CurlLibrary.authorityFolder {
            set(CURLOPT_CAINFO, nil)
            text(CURLOPT_CAPATH, folder)
        }
        guard case .certificate(let secret) = settings.credential else { return }
        // The secret lives as long as the settings, which this object retains.
        let bytes = secret.borrowed
        text(CURLOPT_SSLCERTTYPE, "PEM")
        text(CURLOPT_SSLKEYTYPE, "PEM")
        _ = waymark_curl_set_bytes(handle, CURLOPT_SSLCERT_BLOB, bytes.baseAddress, bytes.count)
        _ = waymark_curl_set_bytes(handle, CURLOPT_SSLKEY_BLOB, bytes.baseAddress, bytes.count)
        // Without a password OpenSSL would prompt at the terminal for an encrypted key.
        text(CURLOPT_KEYPASSWD, "")
    }

    /// Loads a request into the lane.
    func load(_ request: HTTPRequest) throws(HTTPSetupError) {
        words.pointee = 0
        if request.url != url { try address(request.url) }
        set(CURLOPT_HTTPHEADER, try headers.list(request.headers, key: request.key))
        if request.method != method {
            set(request.method.hasBody ? CURLOPT_POST : CURLOPT_HTTPGET, 1)
            switch request.method {
            case .get, .post: set(CURLOPT_CUSTOMREQUEST, nil)
            case .put, .patch, .delete: text(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
            }
            method = request.method
        }
        guard request.method.hasBody else { return }
        let room = room(for: request.body.count)
        request.body.withUnsafeBytes { room.copyMemory(from: $0) }
        set(CURLOPT_POSTFIELDS, room.baseAddress)
        _ = waymark_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, request.body.count)
    }

    /// Sets the URL of the handle.
    private func address(_ text: String) throws(HTTPSetupError) {
        url = nil
        let flags = UInt32(CURLU_DISALLOW_USER | CURLU_PATH_AS_IS)
        guard HTTPRequest.isWellFormed(url: text), curl_url_set(parts, CURLUPART_URL, text, flags) == CURLUE_OK else {
            throw .malformedRequest
        }
        set(CURLOPT_CURLU, UnsafeRawPointer(parts))
        url = text
    }

    /// Passes the body of the response on as it arrives, if it is a stream of events. The handler is called after libcurl's callback,
    /// in which no other call of libcurl is permitted.
    func receiveParts(_ handler: @escaping @DaemonActor ([UInt8]) -> Void) {
        inbox.part = { bytes in DaemonActor.post { handler(bytes) } }
    }

    /// Returns the collected response and releases the request's memory.
    func unload(_ result: CURLcode) -> HTTPOutcome {
        var ending = Ending(result)
        ending.status = waymark_curl_number(handle, CURLINFO_RESPONSE_CODE)
        ending.isCutShort = inbox.collector.isFull
        if result != CURLE_OK {
            ending.verification = waymark_curl_number(handle, CURLINFO_SSL_VERIFYRESULT)
            ending.hadAddress = hasAddress
            ending.words = String(cString: words)
        }
        defer { clear() }
        if let failure = ending.failure { return .failed(failure) }
        return .answered(inbox.collector.finish(status: ending.status))
    }

    /// Whether the name was resolved, or did not have to be.
    var hasAddress: Bool { waymark_curl_microseconds(handle, CURLINFO_NAMELOOKUP_TIME_T) > 0 }

    private func clear() {
        inbox.collector.reset()
        inbox.part = nil
        if let body, body.count > Self.pieceSize {
            set(CURLOPT_POSTFIELDS, nil)
            body.deallocate()
            self.body = nil
        }
    }

    private func room(for count: Int) -> UnsafeMutableRawBufferPointer {
        if let body, body.count >= count { return body }
        body?.deallocate()
        // libcurl treats a null pointer as "read the body from a callback", so an empty body has an address as well.
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: max(4_096, count), alignment: 16)
        body = room
        return room
    }

    private func set(_ option: CURLoption, _ number: Int) { _ = waymark_curl_set_number(handle, option, number) }
    private func set(_ option: CURLoption, _ pointer: UnsafeRawPointer?) {
        _ = waymark_curl_set_pointer(handle, option, pointer)
    }
    private func text(_ option: CURLoption, _ text: String) {
        text.withCString { _ = waymark_curl_set_pointer(handle, option, $0) }
    }

    private static let headCallback: curl_write_callback = { bytes, size, count, context in
        // libcurl calls on the loop's thread, while the client retains the lane.
        let inbox = Unmanaged<Inbox>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
        inbox.collector.appendLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
        return size * count
    }

    private static let bodyCallback: curl_write_callback = { bytes, size, count, context in
        // As above.
        let inbox = Unmanaged<Inbox>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
        if let part = inbox.part, inbox.collector.isEventStream {
            part(Array(UnsafeRawBufferPointer(start: bytes, count: size * count)))
            return size * count
        }
        // Any other number aborts the transfer.
        return inbox.collector.appendBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
    }

    isolated deinit {
        curl_easy_cleanup(handle)
        curl_url_cleanup(parts)
        words.deallocate()
        body?.deallocate()
    }
}
