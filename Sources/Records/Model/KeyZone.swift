import JSONText

/// Where the machines of an account exchange the keys of encrypted fields: a zone of the account's private database in a container
/// of Waymark's own. To the hub these are records like others; it only removes that of a device together with the device, so that
/// the other machines notice.
public enum KeyZone {
    /// The container, which no app may use.
    public static let container = Container(ContainerName(reserved: "io.waymark.keys"), .production)

    /// The zone of an account.
    public static func zone(of account: AccountID) -> ZoneID { ZoneID(container, owner: account, zoneName) }

    /// The name of the zone.
    public static let zoneName = ZoneName(reserved: "keys")

    /// The record with the public key of a device.
    public static func record(of device: DeviceID) -> RecordName { RecordName(composed: "device-\(device)") }

    /// The record of a generation of the account's key.
    public static func record(ofGeneration number: Int64) -> RecordName { RecordName(composed: "generation-\(number)") }

    /// The record in which a machine passes on a key from before a reset, by the key's name.
    public static func record(ofFormerKey name: [UInt8]) -> RecordName {
        RecordName(composed: "former-\(HexText.text(name))")
    }
}

extension RecordName {
    /// A name that is made of valid parts.
    fileprivate init(composed text: String) {
        guard let name = RecordName(text) else { preconditionFailure("parts of names are shorter than a name") }
        self = name
    }
}
