import Interfaces
import TestClients
import TestSupport
import Varlink

extension DaemonProcess {
    /// Fills the disk with the state directory until the daemon cannot store anything: the log of its database may have room for
    /// some transactions more, and is emptied now and then.
    func fill(_ disk: SmallDisk) throws {
        let client = try Client(path: socketPath, timeout: .seconds(60))
        for _ in 0..<1_000 {
            try disk.fill()
            do {
                _ = try client.call(JournalInterface.Note(text: "full?"), timeout: .seconds(60))
            } catch {
                return
            }
        }
        throw StillRoom()
    }

    private struct StillRoom: Error {}
}
