import Configuration
import Glibc
import Platform
import TestSupport
import TestTraits
import Testing

@testable import Commands

/// Runs the probe on a server that sends these bytes to each client.
private func probe(_ pieces: [String]) throws -> DoctorFacts.GPSD {
    let directory = try TemporaryDirectory()
    let path = directory.file("gpsd.sock")
    let listener = try UnixSocket.listen(path: path, mode: 0o600)
    let number = listener.number
    try DetachedThread.start(name: "test-gpsd") {
        var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 10_000) == 1 else { return }
        let connection = accept(number, nil, nil)
        for piece in pieces {
            let bytes = Array(piece.utf8)
            _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
        shutdown(connection, Int32(SHUT_WR))
        // The request is read first: closing with it unread would be an error instead of an end.
        var question = [UInt8](repeating: 0, count: 64)
        while recv(connection, &question, question.count, 0) > 0 {}
        close(connection)
    }
    defer { withExtendedLifetime(directory) {} }
    let answer = GPSDProbe(address: .unix(path: path)).query()
    listener.close()
    return answer
}

@Suite(.waits) struct GPSDProbeTests {
    private let version = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#

    @Test func `a gpsd is recognized by its version, and reports its devices`() throws {
        let devices = #"{"class":"DEVICES","devices":[{"path":"/dev/ttyACM0"},{"path":"/dev/ttyS1"}]}"#
        let answer = try probe([version + "\r\n{\"class\":", "\"TPV\"}\r\n", devices + "\r\n"])
        #expect(answer == .answers(version: "3.22", devices: ["/dev/ttyACM0", "/dev/ttyS1"]))
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\n\r\n", "", "{\"class\":\"DEVICES\",\"devices\":[]}\n", "[]\n",
        String(repeating: "x", count: 80_000),
    ]) func `a server with another reply is no gpsd`(_ text: String) throws {
        #expect(try probe([text]) == .stranger)
    }

    @Test func `a gpsd that ends the connection cannot be reached`() throws {
        #expect(try probe([version + "\n"]) == .unreachable("it closed the connection"))
    }

    @Test func `an address without a listener is refused`() throws {
        let directory = try TemporaryDirectory()
        #expect(GPSDProbe(address: .unix(path: directory.file("none"))).query() == .refused)
        #expect(GPSDProbe(address: .none).query() == .unconfigured)
    }
}
