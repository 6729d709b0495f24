import CLinux
import Glibc
import Location
import Platform
import Synchronization
import TestSupport

/// A gpsd that sends the bytes that a test gives it, over TCP on loopback, to one client after the other. It replies
/// only to the watch request, unless it is configured otherwise.
public final class ScriptedGPSD: Sendable {
    private struct State {
        var connections = 0
        var answersInquiries = true
        var isOver = false
        var received: [UInt8] = []
        /// The bytes to send next to the present client.
        var pending: [UInt8] = []
    }

    /// The first bytes sent to a new client.
    public static let banner =
        #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"
    /// The device that it reports.
    public static let device = "/dev/ttyHOSTILE"
    /// Its reply to `?DEVICES;`.
    public static let devices =
        #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"\#(device)","driver":"NMEA0183","activated":"2026-01-01T00:00:00.000Z","cycle":1.0}]}"#
        + "\r\n"

    private let state = Mutex(State())
    private let listener: LoopbackListener
    private let wake = WakeDescriptor()

    /// Listens.
    public init() throws {
        listener = try LoopbackListener()
        try DetachedThread.start(name: "scripted-gpsd") { [self] in serve() }
    }

    /// Where it is, HOST:PORT.
    public var address: String { "127.0.0.1:\(listener.port)" }
    /// Connections so far.
    public var connections: Int { state.withLock { $0.connections } }
    /// The bytes that the present client has sent.
    public var received: String { state.withLock { String(decoding: $0.received, as: UTF8.self) } }
    /// Whether everything that was to be sent is out of this process.
    public var isDrained: Bool { state.withLock { $0.pending.isEmpty } }

    /// Whether it replies to `?DEVICES;`.
    public func answerInquiries(_ answers: Bool) { state.withLock { $0.answersInquiries = answers } }

    /// Sends bytes to the present client, as soon as its socket has room.
    public func send(_ text: String) {
        state.withLock { $0.pending += Array(text.utf8) }
        wake.signal()
    }

    /// Sends a report of a position, of this instant.
    public func sendPosition() { send(Self.position(at: SystemClock().utcMicroseconds)) }

    /// A report of a position: a place in the open sea, which is nobody's home.
    public static func position(at microseconds: Int64) -> String {
        let time = UTCTime(microseconds: microseconds).iso8601(fraction: 3)
        return #"{"class":"TPV","device":"\#(device)","mode":3,"time":"\#(time)","ept":0.005,"lat":47.000000000,"#
            + #""lon":-30.000000000,"altHAE":10.0,"altMSL":8.0,"epx":3.0,"epy":3.0,"epv":5.0,"eph":4.0,"track":0.0,"#
            + #""speed":0.0,"climb":0.0}"# + "\r\n"
    }

    /// A report of satellites, as long as that of a receiver of four constellations.
    public static func sky(satellites: Int = 60) -> String {
        let list = (1...satellites).map {
            #"{"PRN":\#($0),"gnssid":0,"svid":\#($0),"az":\#($0 * 5 % 360).0,"el":\#($0 % 90).0,"ss":38.0,"used":true}"#
        }
        return #"{"class":"SKY","device":"\#(device)","hdop":0.7,"satellites":["# + list.joined(separator: ",")
            + "]}\r\n"
    }

    /// Ends, and its connection with it.
    public func stop() {
        state.withLock { $0.isOver = true }
        wake.signal()
    }

    private var isOver: Bool { state.withLock { $0.isOver } }

    private func serve() {
        while !isOver {
            guard let client = listener.accept(orUntil: wake.number) else {
                wake.clear()
                continue
            }
            state.withLock {
                $0.connections += 1
                $0.received = []
                $0.pending = Array((Self.banner + Self.devices).utf8)
            }
            talk(to: client)
        }
    }

    private func talk(to client: Int32) {
        defer { _ = close(client) }
        _ = fcntl(client, F_SETFL, O_NONBLOCK)
        while !isOver {
            let wantsToSend = !isDrained
            var ready = [
                pollfd(fd: client, events: Int16(POLLIN | (wantsToSend ? POLLOUT : 0)), revents: 0),
                pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&ready, 2, 1_000) >= 0 || errno == EINTR else { return }
            if ready[1].revents != 0 { wake.clear() }
            if ready[0].revents & Int16(POLLOUT) != 0 {
                let chunk = state.withLock { Array($0.pending.prefix(1 << 18)) }
                let count = Glibc.send(client, chunk, chunk.count, Int32(MSG_NOSIGNAL))
                if count > 0 { state.withLock { $0.pending.removeFirst(count) } }
                if count < 0, errno != EAGAIN, errno != EINTR { return }
            }
            if ready[0].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
                var buffer = [UInt8](repeating: 0, count: 4_096)
                let count = recv(client, &buffer, buffer.count, 0)
                if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { return }
                if count > 0 { heard(buffer[..<count]) }
            }
        }
    }

    private func heard(_ bytes: ArraySlice<UInt8>) {
        state.withLock {
            $0.received += bytes
            let text = String(decoding: bytes, as: UTF8.self)
            if $0.answersInquiries, text.contains("?DEVICES") { $0.pending += Array(Self.devices.utf8) }
        }
    }
}

/// A socket that listens on a free port of 127.0.0.1.
private final class LoopbackListener: Sendable {
    private let descriptor: Int32
    let port: UInt16

    init() throws(SystemError) {
        descriptor = try retrying("socket") {
            socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        }
        let number = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(number, pointer, length) == 0 && listen(number, 8) == 0
                    ? getsockname(number, pointer, &length) : -1
            }
        }
        if status != 0 { throw SystemError("listen") }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { _ = close(descriptor) }

    /// The next client's socket; nil where the other descriptor became readable before a client connected.
    func accept(orUntil other: Int32) -> Int32? {
        var ready = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&ready, 2, -1) > 0, ready[0].revents != 0 else { return nil }
        let client = Glibc.accept(descriptor, nil, nil)
        guard client >= 0 else { return nil }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        return client
    }
}
