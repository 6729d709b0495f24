import TestSupport
import Varlink

extension DaemonProcess {
    /// Makes an attempt for one user after another with a full disk, until one is not stored, and returns its user. The log of
    /// the daemon's database may have room for some transactions, and has room again whenever the daemon has moved it into
    /// the file; so only a refusal shows that there was none.
    func userNotStored(with disk: SmallDisk, attempt isStored: (UInt32) throws -> Bool) throws -> UInt32 {
        for user in UInt32(70_000)..<71_000 {
            try disk.fill()
            if try !isStored(user) { return user }
        }
        throw StillRoom()
    }

    private struct StillRoom: Error {}
}
