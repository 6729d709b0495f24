import Platform

/// Finds out whether a gpsd that opens its device on demand has opened it.
///
/// Opening takes gpsd most of a second, during which it probes for drivers and discards data. Only the activation time
/// in its DEVICES report shows that the device is open (gpsd_json(5)).
/// word, the time of activation in DEVICES, shows that this is over (gpsd_json(5)).
final class DeviceProbe {
    private let client: LineClient
    private var isQueried = false

    /// Connects to the gpsd.
    init(at place: GPSDPlace) throws(ReplayError) {
        do {
            client = try LineClient(at: place)
        } catch {
            throw .system(error)
        }
    }

    /// Whether the device is open, by the last reply. Sends another query if it was not. Does not block.
    func isActivated() throws(ReplayError) -> Bool {
        do {
            while let line = try client.line(before: PollDeadline(seconds: 0)) {
                guard line.hasPrefix("{\"class\":\"DEVICES\"") else { continue }
                if line.contains(bytesOf: "\"activated\":\"") { return true }
                isQueried = false
            }
            if !isQueried { try client.send("?DEVICES;") }
            isQueried = true
            return false
        } catch {
            throw .system(error)
        }
    }
}
