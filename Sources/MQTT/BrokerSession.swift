import CMosquitto
import COpenSSL
import Glibc
import Platform
import Upload

/// A session with a broker in libmosquitto, over one connection after another: unconfirmed messages are sent again with
/// the same packet identifier on the next connection.
@DaemonActor
final class BrokerSession {
    /// The session expiry interval in seconds, a day: how long the broker stores the session of a disconnected client.
    /// Nothing is lost without the session.
    private static let expiry: UInt32 = 86_400

    private static let isReady: Bool = {
        // OpenSSL may write to a socket whose other end is closed, and libmosquitto does not prevent the signal.
        signal(SIGPIPE, SIG_IGN)
        return mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue
    }()

    private let handle: OpaquePointer
    private let tls: TLSContext?
    private let inbox: BrokerInbox
    private let settings: MQTTSettings
    /// The transfers of unconfirmed messages by packet identifier.
    private var unconfirmed: [UInt16: UInt64] = [:]
    /// The topics that were subscribed to over the current connection, by packet identifier.
    private var subscribed: [Int32: String] = [:]
    /// The number of messages published over the current connection.
    private var published: UInt64 = 0
    /// The number of connections.
    private var connections = 0
    /// Whether the session contains a message that must not be delivered any more.
    private(set) var isStale = false

    /// A session that is not connected.
    init(_ settings: MQTTSettings) throws(SessionProblem) {
        let inbox = BrokerInbox(settings)
        guard Self.isReady,
            let handle = mosquitto_new(settings.clientID, false, inbox.context)
        else { throw .setup(.library) }
        self.handle = handle
        self.inbox = inbox
        self.settings = settings
        if settings.isEncrypted {
            do throws(TLSProblem) {
                tls = try TLSContext(settings)
            } catch {
                mosquitto_destroy(handle)
                throw .tls(error.fault)
            }
        } else {
            tls = nil
        }
        try setUp()
    }

    private func setUp() throws(SessionProblem) {
        let version = settings.version == .five ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, version)
        mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
        // The caller has its own window; a limit of the broker is respected all the same.
        mosquitto_int_option(handle, MOSQ_OPT_SEND_MAXIMUM, 0)
        if let tls {
            mosquitto_void_option(handle, MOSQ_OPT_SSL_CTX, UnsafeMutableRawPointer(tls.pointer))
            mosquitto_int_option(handle, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0)
        }
        if settings.version == .five {
            var properties: OpaquePointer?
            let identifier = Int32(truncatingIfNeeded: MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue)
            mosquitto_property_add_int32(&properties, identifier, Self.expiry)
            // Only the blocking connect function accepts properties. It stores them for later connections before it
            // rejects the interval of one second, so this call never connects.
            mosquitto_connect_bind_v5(handle, "", 1, 1, nil, properties)
            mosquitto_property_free_all(&properties)
        }
        if case .basic(let secret) = settings.credential { try setPassword(secret) }
        inbox.receiveCallbacks(of: handle)
    }

    /// libmosquitto copies both, into memory that it frees with the session.
    private func setPassword(_ pair: Secret) throws(SessionProblem) {
        var isSet = false
        do throws(SystemError) {
            // Two NUL-terminated strings.
            _ = try Secret(capacity: pair.count + 2) { texts throws(SystemError) in
                var count = pair.withBytes { bytes in
                    texts.copyMemory(from: bytes)
                    return bytes.count
                }
                if count > 0, texts[count - 1] == 0x0A { count -= 1 }
                if count > 0, texts[count - 1] == 0x0D { count -= 1 }
                texts[count] = 0
                guard let colon = texts[..<count].firstIndex(of: UInt8(ascii: ":")), !texts[..<count].contains(0),
                    let user = texts.baseAddress
                else { return count }
                texts[colon] = 0
                let password = user + colon + 1
                isSet =
                    mosquitto_username_pw_set(
                        handle, user.assumingMemoryBound(to: CChar.self), password.assumingMemoryBound(to: CChar.self))
                    == MOSQ_ERR_SUCCESS.rawValue
                return count
            }
        } catch {
            throw .setup(.system(error))
        }
        guard isSet else { throw .setup(.unusableCredential) }
    }

    // The connection.

    /// The socket, or -1.
    var socket: Int32 { mosquitto_socket(handle) }
    /// The reason why TLS failed, if it is known.
    var tlsFault: TLSFault? { tls?.fault }

    /// Whether the current connection resumes the state of an earlier one.
    var isResumption: Bool { connections > 1 }

    /// Whether the TLS handshake is still in progress.
    var isHandshaking: Bool {
        guard let connection = mosquitto_ssl_get(handle) else { return false }
        return waymark_tls_is_handshaking(connection) != 0
    }

    /// The events to watch the socket for.
    var interest: IOEvents {
        if let connection = mosquitto_ssl_get(handle), isHandshaking {
            // libmosquitto does not withdraw its wish to write once the handshake has begun.
            return SSL_want(OpaquePointer(connection)) == SSL_WRITING ? [.readable, .writable] : .readable
        }
        return mosquitto_want_write(handle) ? [.readable, .writable] : .readable
    }

    /// Starts to connect to an address; the failure if it is known at once, or nil. An existing connection is dropped.
    func connect(to address: String, will: [UInt8]) -> UploadFailure? {
        tls?.reset()
        _ = drain()
        published = 0
        mosquitto_will_set(handle, settings.willTopic, Int32(will.count), will, 0, false)
        let seconds = Int32(max(5, min(65_535, settings.keepAlive.seconds.rounded(.up))))
        let status = mosquitto_connect_bind_async(handle, address, Int32(settings.port), seconds, nil)
        let code = errno
        switch status {
        case MOSQ_ERR_SUCCESS.rawValue, MOSQ_ERR_CONN_PENDING.rawValue: return socket >= 0 ? nil : .connect
        case MOSQ_ERR_TLS.rawValue: return .tls(.handshake)
        // A nearby peer may have accepted the connection and closed it already.
        case MOSQ_ERR_ERRNO.rawValue where [EPIPE, ECONNRESET, EPROTO].contains(code): return .connectionLost
        case MOSQ_ERR_CONN_LOST.rawValue: return .connectionLost
        default: return .connect
        }
    }

    /// Reads and writes according to the socket's events; returns libmosquitto's error, or 0. Reading comes first,
    /// because the input may explain why nothing can be written.
    func transfer(_ events: IOEvents) -> Int32 {
        // libmosquitto continues the handshake when it reads, whatever the socket is ready for.
        var status = MOSQ_ERR_SUCCESS.rawValue
        if isHandshaking || !events.isDisjoint(with: [.readable, .hangUp, .failed]) {
            status = mosquitto_loop_read(handle, 1)
            // libmosquitto may stop although TLS has decrypted more, which the socket does not indicate.
            var rounds = 0
            while status == MOSQ_ERR_SUCCESS.rawValue, hasUnpacked, rounds < 1_000 {
                status = mosquitto_loop_read(handle, 1)
                rounds += 1
            }
        }
        guard status == MOSQ_ERR_SUCCESS.rawValue, socket >= 0, events.contains(.writable), !isHandshaking else {
            return status
        }
        return mosquitto_loop_write(handle, 1)
    }

    private var hasUnpacked: Bool {
        guard socket >= 0, let connection = mosquitto_ssl_get(handle) else { return false }
        return SSL_pending(OpaquePointer(connection)) > 0
    }

    /// Whether the broker has sent anything over the current connection.
    var hasHeard: Bool { waymark_bytes_received(socket) > 0 }

    /// Whether the broker has sent more than its messages can require: libmosquitto accepts messages of up to 256 MiB.
    /// Messages of its subscriptions may add some bytes for each second of the connection.
    func isFlooded(after seconds: UInt64) -> Bool {
        let subscribed = settings.subscriptions.isEmpty ? 0 : Self.subscribedBytes * seconds
        return waymark_bytes_received(socket)
            > 65_536 + 1_024 * (published + UInt64(unconfirmed.count)) + subscribed
    }

    /// The bytes of messages that this client has subscribed to which the broker may send in a second, in the long run.
    private static let subscribedBytes: UInt64 = 256

    /// Subscribes to the topics of the settings. Messages that the broker has retained are not requested. The problem if
    /// that fails, or nil.
    func subscribe() -> String? {
        subscribed = [:]
        for topic in settings.subscriptions {
            var number: Int32 = 0
            let status = mosquitto_subscribe_v5(
                handle, &number, topic, 0, Int32(MQTT_SUB_OPT_SEND_RETAIN_NEVER.rawValue), nil)
            guard status == MOSQ_ERR_SUCCESS.rawValue else { return String(cString: mosquitto_strerror(status)) }
            subscribed[number] = topic
        }
        return nil
    }

    /// Sends a ping on an idle connection, or detects that it is dead.
    func keepAlive() -> Int32 { mosquitto_loop_misc(handle) }

    /// Disconnects from the broker, with a DISCONNECT message if one can be sent.
    func disconnect() {
        guard socket >= 0 else { return }
        if !isHandshaking { mosquitto_disconnect_v5(handle, 0, nil) }
        // A socket that accepts no data is still open: libmosquitto closes it when it detects the end.
        if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
        var rounds = 0
        while socket >= 0, rounds < 64 {
            _ = mosquitto_loop_read(handle, 1)
            rounds += 1
        }
    }

    // Messages.

    /// Makes the kernel collect outgoing data until the next call, TCP_CORK of tcp(7): many small messages become one
    /// segment, and the broker is woken once.
    func gather(_ isGathering: Bool) {
        var flag: Int32 = isGathering ? 1 : 0
        // Without TCP_CORK each message is a segment.
        _ = setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &flag, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Publishes with QoS 1; libmosquitto's error, or 0. If the connection has ended meanwhile, the message is sent
    /// with the next one.
    func publish(_ id: UInt64, to topic: String, _ body: [UInt8], isRetained: Bool) -> Int32 {
        var number: Int32 = 0
        let status = body.withUnsafeBytes { bytes in
            mosquitto_publish_v5(
                handle, &number, topic, Int32(clamping: bytes.count), bytes.baseAddress, 1, isRetained, nil)
        }
        switch status {
        case MOSQ_ERR_SUCCESS.rawValue, MOSQ_ERR_CONN_LOST.rawValue, MOSQ_ERR_ERRNO.rawValue, MOSQ_ERR_NO_CONN.rawValue:
            unconfirmed[UInt16(truncatingIfNeeded: number)] = id
            published += 1
        default: break
        }
        return status
    }

    /// Detaches a message from its transfer. The session would deliver it again, so it must not be connected again.
    func abandon(_ id: UInt64) {
        for (number, other) in unconfirmed where other == id {
            unconfirmed[number] = nil
            isStale = true
        }
    }

    /// Returns and clears the results since the last call.
    func drain() -> Events {
        defer { inbox.removeAll() }
        if let topic = inbox.stray { mosquitto_unsubscribe_v5(handle, nil, topic, nil) }
        if inbox.answer == 0 { connections += 1 }
        let confirmed = inbox.confirmed.compactMap { one in
            unconfirmed.removeValue(forKey: one.number).map { BrokerConfirmation($0, reason: one.reason) }
        }
        return Events(
            answer: inbox.answer, serverKeepAlive: inbox.serverKeepAlive, confirmed: confirmed, end: inbox.end,
            received: inbox.received, hasConsumerStarted: inbox.hasConsumerStarted,
            forbidden: inbox.refused.compactMap { subscribed[$0] })
    }

    /// The results of libmosquitto's callbacks.
    struct Events {
        /// The code of the CONNACK: 0, or the reason of a refusal.
        var answer: UInt8?
        /// The keep-alive interval that the broker requires, in seconds.
        var serverKeepAlive: UInt16?
        /// The messages that were confirmed.
        var confirmed: [BrokerConfirmation]
        /// Why the connection has ended: an error of libmosquitto, or from 0x80 on a reason code of MQTT 5.
        var end: Int32?
        /// The messages received on the topic of commands; nil for one that is not to be evaluated.
        var received: [[UInt8]?]
        /// Whether a program that reads the messages has started.
        var hasConsumerStarted: Bool
        /// The topics that the broker does not permit to subscribe to.
        var forbidden: [String]
    }

    isolated deinit {
        mosquitto_destroy(handle)
    }
}

/// The reason why there can be no session.
enum SessionProblem: Error {
    case setup(MQTTSetupError)
    case tls(TLSFault)
}
