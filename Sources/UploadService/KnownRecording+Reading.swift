import Interfaces

extension KnownRecording {
    /// Why it cannot be read in the state in which it is, in words for a person; nil where that state alone does not say so.
    var reasonNotToRead: String? {
        switch state {
        case "denied": "positions may not be had: `waymark authorize` changes that"
        case "deniedGlobally": "location services are off: `waymark services on` changes that"
        case "notDetermined": "nobody has decided yet whether positions may be had: `waymark authorize` does"
        case "manifestMissing": "no manifest fits this program"
        case "notAllowed": "the manifest does not say Record=yes"
        default: nil
        }
    }
}
