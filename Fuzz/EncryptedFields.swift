import Cryptography
import JSONText
import Platform
import Records

// Feeds bytes to what a machine reads of encrypted fields: generations of an account's key, sealed values and typed codes. Compiled
// together with the formats in Sources/Sync/Encryption.

/// libFuzzer's entry: a byte for the parser, and its input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let input = FuzzInput(start, count) else { return 0 }
    let rest = input.rest
    switch input.choice % 3 {
    case 0: openGeneration(rest)
    case 1: openValue(rest)
    default:
        if let code = PairingCode(typed: String(decoding: rest, as: UTF8.self)) {
            precondition(PairingCode(typed: code.text) == code, "a code is written as it was read")
        }
    }
    return 0
}

/// A statement, and as many bytes of wrapped keys as it needs.
private func openGeneration(_ text: [UInt8]) {
    guard let device = DeviceID("laptop"), let account = AccountID("alice"),
        let pair = SealingKeyPair(privateKey: key(1))
    else { return }
    let identity = DeviceIdentity(AccountDevice(account, device), pair)
    let code = PairingCode([UInt8](repeating: 7, count: PairingCode.size))
    for members in 1...3 {
        let wrapped = [UInt8](repeating: 5, count: members * (SymmetricKey.size + SymmetricKey.overhead))
        guard let generation = KeyGeneration(text: text, wrapped: wrapped) else { continue }
        precondition(generation.statement.members.count == members, "each member has a key")
        precondition(generation.key(of: generation.statement.maker) != nil, "the maker is a member")
        for maker in generation.statement.members {
            do throws(SystemError) {
                let opened = try generation.open(by: identity, makerKey: maker.key, code: code)
                precondition(opened == nil, "a key that nobody has wrapped does not open")
                let previous = try generation.openPrevious(with: key(2))
                precondition(previous == nil, "a key that nobody has sealed does not open")
            } catch { preconditionFailure("nothing fails for another reason: \(error)") }
        }
    }
}

private func openValue(_ bytes: [UInt8]) {
    guard let container = ContainerName("c"), let owner = AccountID("a"), let record = RecordName("r"),
        let name = FieldName("f"), let field = SealedField(.string, isList: false, bytes)
    else { return }
    let place = FieldPlace(ZoneID(Container(container), owner: owner, .defaultZone), record, name)
    var keys: [AccountKey.Name: SymmetricKey] = [:]
    if let name = field.keyName { keys[name] = key(3) }
    let content = field.open(at: place, with: keys)
    precondition(content == .damaged, "a value that nobody has sealed does not open")
}

private func key(_ byte: UInt8) -> SymmetricKey {
    do throws(SystemError) {
        guard let key = try SymmetricKey(copying: [UInt8](repeating: byte, count: SymmetricKey.size)) else {
            preconditionFailure("a key has this size")
        }
        return key
    } catch { preconditionFailure("there is memory: \(error)") }
}
