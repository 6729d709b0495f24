import Configuration
import Tracking

extension FixFilter.Limits {
    /// The limits of the configuration.
    init(_ receiver: Settings.Receiver) {
        self.init()
        isSimulated = receiver.isSimulated
        speed = receiver.maximumSpeed
        systemTimestamps = receiver.systemTimestamps
    }
}
