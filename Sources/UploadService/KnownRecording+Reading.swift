import Interfaces

extension KnownRecording {
    /// The reason, for people, why a recording in this state cannot be read; nil if the state alone does not prevent
    /// it.
    var reasonNotToRead: String? {
        switch state {
        case .denied: "this program may not have positions: `waymark authorize` changes that"
        case .deniedGlobally: "location services are off: `waymark services on` changes that"
        case .notDetermined: "nobody has decided yet whether this program may have positions: run `waymark authorize`"
        case .manifestMissing: "no manifest fits this program"
        case .notAllowed: "the manifest does not say Record=yes"
        default: nil
        }
    }
}
