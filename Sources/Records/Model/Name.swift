/// The rule that the names of one kind follow.
public protocol NameRule: Sendable {
    /// The longest name, in bytes.
    static var longest: Int { get }
    /// Whether a byte may stand at an offset.
    static func accepts(_ byte: UInt8, at offset: Int) -> Bool
}

/// A name that follows a rule.
///
/// All names are ASCII, so that no two different byte sequences are the same text, in Swift as in SQL.
public struct Name<Rule: NameRule>: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name.
    public let text: String

    /// The name with this text; nil if the text does not follow the rule.
    public init?(_ text: String) {
        var count = 0
        for byte in text.utf8 {
            guard count < Rule.longest, Rule.accepts(byte, at: count) else { return nil }
            count += 1
        }
        guard count > 0 else { return nil }
        self.text = text
    }

    /// Whether a part of a text is a name of this kind.
    static func isName(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard !range.isEmpty, range.count <= Rule.longest else { return false }
        for place in range where !Rule.accepts(text[place], at: place - range.lowerBound) { return false }
        return true
    }

    /// A name that only the hub gives, because no client's text is accepted as this one.
    init(reserved text: StaticString) { self.text = text.description }

    /// The name.
    public var description: String { text }

    /// Whether a name is before another one, by bytes.
    public static func < (left: Name, right: Name) -> Bool { left.text < right.text }
}

/// A name that an app chooses: 1 to 255 bytes of visible ASCII without an underscore at the beginning, which is reserved
/// for names of the hub.
public protocol ChosenName: NameRule {}

extension ChosenName {
    /// 255 bytes.
    public static var longest: Int { 255 }
    /// `!` to `~`.
    public static func accepts(_ byte: UInt8, at offset: Int) -> Bool {
        (0x21...0x7E).contains(byte) && (offset > 0 || byte != UInt8(ascii: "_"))
    }
}

/// A name in a schema: a letter, and then letters, digits and underscores, 1 to 255 bytes.
public protocol SchemaName: NameRule {}

extension SchemaName {
    /// 255 bytes.
    public static var longest: Int { 255 }
    /// Digits and underscores only after the first byte.
    public static func accepts(_ byte: UInt8, at offset: Int) -> Bool {
        byte.isLetter || (offset > 0 && (byte.isDigit || byte == UInt8(ascii: "_")))
    }
}

/// The name of somebody or something beyond a database: letters, digits, dots, hyphens and underscores, 1 to 128 bytes.
public protocol PartyName: NameRule {}

extension PartyName {
    /// 128 bytes.
    public static var longest: Int { 128 }
    /// Dots, hyphens and underscores only after the first byte.
    public static func accepts(_ byte: UInt8, at offset: Int) -> Bool {
        byte.isLetter || byte.isDigit || (offset > 0 && "._-".utf8.contains(byte))
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}

/// The kinds of names.
public enum NameKind {
    /// Of containers.
    public enum Container: PartyName {}
    /// Of accounts.
    public enum Account: PartyName {}
    /// Of devices.
    public enum Device: PartyName {}
    /// Of zones.
    public enum Zone: ChosenName {}
    /// Of records.
    public enum Record: ChosenName {}
    /// Of subscriptions.
    public enum Subscription: ChosenName {}
    /// Of requests.
    public enum Request: ChosenName {}
    /// Of types of records.
    public enum RecordType: SchemaName {}
    /// Of fields.
    public enum Field: SchemaName {}
    /// Of texts of alerts, 1 to 64 bytes.
    public enum AlertText: PartyName {
        /// 64 bytes.
        public static var longest: Int { 64 }
    }
}

/// The name of a container.
public typealias ContainerName = Name<NameKind.Container>
/// An account: a person, or a machine without one.
public typealias AccountID = Name<NameKind.Account>
/// A device of an account.
public typealias DeviceID = Name<NameKind.Device>
/// The name of a zone, unique in its database.
public typealias ZoneName = Name<NameKind.Zone>
/// The name of a record, unique in its zone.
public typealias RecordName = Name<NameKind.Record>
/// The name of a subscription, unique in the database as one account sees it.
public typealias SubscriptionName = Name<NameKind.Subscription>
/// The idempotency key of a request, unique among those of a device. A device does not use a key for another request.
public typealias RequestKey = Name<NameKind.Request>
/// The type of a record.
public typealias RecordType = Name<NameKind.RecordType>
/// The name of a field.
public typealias FieldName = Name<NameKind.Field>
/// The key of a text of alerts, which the manifest of an app has.
public typealias AlertKey = Name<NameKind.AlertText>

extension FieldName {
    /// The field that makes a record the child of another one, where it is a reference to that one.
    public static let parent = FieldName(reserved: "parent")
}

extension ZoneName {
    /// The zone that every database has. It cannot be made or deleted.
    public static let defaultZone = ZoneName(reserved: "_defaultZone")
}

extension SubscriptionName {
    /// Stands in a push for the subscriptions with alerts of the account in a container: one was stored or removed, so that the
    /// device reads them again.
    public static let alerts = SubscriptionName(reserved: "_alerts")

    /// The name of a subscription as it stands in a push.
    public init?(inPush text: String) {
        if text == Self.alerts.text { self = .alerts } else { self.init(text) }
    }
}
