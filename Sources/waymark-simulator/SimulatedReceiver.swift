import Glibc
import Location
import Platform
import ReceiverSimulator
import Replay

/// A receiver of the present that nobody has, for machines without one: a gpsd of its own reads invented sentences from a
/// pseudo-terminal, and serves the socket that systemd has handed over.
///
/// Each sentence says that it is simulated (GGA quality 8), so gpsd reports status 8, and every position carries the mark.
enum SimulatedReceiver {
    /// It cannot be served.
    enum Failure: Error, CustomStringConvertible {
        /// systemd has not handed over one listening socket.
        case noSocket

        /// The problem and the next step.
        var description: String {
            "no socket was handed over. systemctl start waymark-simulated-receiver.socket starts this; to play a recording by"
                + " hand: waymark replay FILE"
        }
    }

    /// The greatest difference between the time of an epoch and the system's clock, in microseconds: the journey starts again
    /// after a suspend, or when the clock was set.
    private static let mostDrift: Int64 = 5_000_000

    /// Simulates one journey after the other until gpsd ends or a signal arrives.
    static func serve() throws -> Never {
        let sockets = try ServiceManager.receiveListeningSockets()
        guard sockets.count == 1, let socket = sockets.first, ServiceManager.isListeningUnixStream(socket.number) else {
            throw Failure.noSocket
        }
        let terminal = try PseudoTerminal()
        let gpsd = try PrivateGPSD.start(device: terminal.path, serving: OwnedDescriptor(adopting: socket.number))
        ServiceManager.notify(.ready(status: "Simulating a receiver: no position is real."))
        let clock = SystemClock()
        var seed: UInt64 = 1
        while true {
            // At a whole second, as receivers do.
            let second = clock.utcMicroseconds / 1_000_000 + 1
            let scenario = Preset.roundTrip.scenario(start: UTCTime(microseconds: second * 1_000_000))
            try play(Recording(scenario, seed: seed), into: terminal, of: gpsd, clock)
            seed &+= 1
        }
    }

    /// Writes each epoch at its time.
    private static func play(
        _ recording: Recording, into terminal: borrowing PseudoTerminal, of gpsd: PrivateGPSD, _ clock: SystemClock
    ) throws(ReplayError) {
        for epoch in recording {
            while true {
                try gpsd.check()
                let rest = epoch.time.microseconds - clock.utcMicroseconds
                guard rest.magnitude <= UInt64(mostDrift) else { return }
                guard rest > 0 else { break }
                var request = pollfd(fd: gpsd.exitDescriptor, events: Int16(POLLIN), revents: 0)
                // Interrupted or not, the time is looked at again.
                _ = poll(&request, 1, Int32(clamping: (rest + 999) / 1_000))
            }
            // A gpsd that lags loses sentences, as with a real receiver.
            _ = try terminal.write(epoch.bytes[...])
        }
    }
}
