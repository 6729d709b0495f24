import Hub
import JSONText
import Platform
import Records
import SyncInterface
import TestHubs
import TestSupport
import Varlink

@testable import Sync

/// Encrypted fields of the notes of a machine.
extension SyncProcess {
    /// Saves a note with a text and an encrypted field `secret`.
    func saveSecret(_ name: String, _ secret: String, text: String = "plain") throws {
        let request: JSON = [
            "save": [
                [
                    "policy": "changedKeys",
                    "record": [
                        "name": .string(name), "type": "Note",
                        "fields": [
                            "text": ["string": .string(text)],
                            "secret": ["encrypted": ["string": .string(secret)]],
                        ],
                    ],
                ]
            ]
        ]
        _ = try call(SyncInterface.ModifyRecords(container: Self.container, zone: "notes", request: request))
    }

    /// The encrypted field of a note as an app sees it.
    func secretJSON(_ name: String) throws -> JSON? {
        try call(SyncInterface.GetRecords(container: Self.container, zone: "notes", names: [name]))
            .records.first?["fields"]?["secret"]
    }

    /// The value of the encrypted field; nil if there is none, or it is sealed.
    func secret(_ name: String) throws -> String? {
        try secretJSON(name)?["encrypted"]?["string"]?.stringValue
    }

    func keys() throws -> SyncInterface.GetKeys.Reply { try call(SyncInterface.GetKeys()) }

    /// The code of a machine that is not trusted.
    func code() throws -> String {
        var code: String?
        _ = eventually {
            code = attempt { try keys() }?.code
            return code != nil
        }
        guard let code else { throw HubProcess.Failure(description: "there is no code: \(try keys()) \(log)") }
        return code
    }

    /// Waits until an app can read the encrypted field of a note.
    func waitForSecret(_ name: String, _ expected: String) throws {
        guard eventually({ attempt { try secret(name) } == .some(expected) }) else {
            throw HubProcess.Failure(
                description: "\(name) has \(String(describing: try secretJSON(name))): \(try keys()) \(log)")
        }
    }

    /// Waits until the account's key has a generation.
    func waitForGeneration(_ number: Int64) throws {
        guard eventually({ attempt { try keys() }?.generation == number }) else {
            throw HubProcess.Failure(description: "the generation \(number) is missing: \(try keys()) \(log)")
        }
    }

    /// Has a trusted machine trust another one.
    func trust(_ other: SyncProcess) throws {
        _ = try call(SyncInterface.TrustMachine(code: try other.code()))
    }
}

/// What somebody does who has the hub's file in hand: the records are read and written directly.
struct HostileHub {
    let device: HubDevice
    static let keys = "/v1/production/io.waymark.keys/zones/alice/keys"

    init(_ hub: HubProcess) throws { device = try hub.join("hostile", "alice") }

    /// The fields of a record.
    func fields(_ name: String, in zone: String) throws -> JSON {
        try device.json("GET", "\(zone)/records/\(name)")["fields"] ?? .null
    }

    /// Sets fields of a record, or makes it.
    func set(_ name: String, _ fields: JSON, type: String = "Note", in zone: String) throws {
        let record: JSON = ["name": .string(name), "type": .string(type), "fields": fields]
        let body: JSON = ["save": [["policy": "changedKeys", "record": record]]]
        let answer = try device.json("POST", "\(zone)/records", String(decoding: body.bytes, as: UTF8.self))
        guard answer["outcomes"]?[0]?["saved"] != nil else {
            throw HubProcess.Failure(description: "\(name) is not changed: \(answer)")
        }
    }

    func remove(_ name: String, in zone: String) throws {
        let body: JSON = ["delete": [["name": .string(name)]]]
        try device.json("POST", "\(zone)/records", String(decoding: body.bytes, as: UTF8.self))
    }

    /// The name of the key with which the encrypted field of a note is sealed.
    func keyName(_ note: String) throws -> [UInt8]? {
        let text = try fields(note, in: HubDevice.zone("alice"))["secret"] ?? .null
        guard case .sealed(let field) = try FieldValue(json: text.bytes) else { return nil }
        return field.keyName?.bytes
    }
}
