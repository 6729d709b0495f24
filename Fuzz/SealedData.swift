import Cryptography
import JSONText
import Location
import Platform

// Feeds bytes to everything that data protection reads: the file of keys, the record of attempts, the words of a recovery key,
// wrapped keys and sealed rows. Compiled together with Sources/Protection.

private let machine = fixedKey(1)
private let now = UTCTime(microseconds: 1_800_000_000_000_000)

/// libFuzzer's entry. The first byte chooses the parser, and whether a valid code is put before the rest, so that the bytes reach
/// the parser behind the code.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let input = FuzzInput(start, count) else { return 0 }
    let rest = input.rest
    switch input.choice % 6 {
    case 0: readKeys(rest)
    case 1:
        readKeys(AuthenticatedText(kind: "keys", purpose: "waymark key file", format: 1).text(rest, machine: machine))
    case 2: readRecord(rest)
    case 3:
        readRecord(
            AuthenticatedText(kind: "attempts", purpose: "waymark attempts", format: 1).text(rest, machine: machine))
    case 4: readWords(rest)
    default: openRows(rest)
    }
    return 0
}

private func readKeys(_ text: [UInt8]) {
    do throws(KeyFile.Damage) { try readKeys(text, of: nil) } catch {
        precondition(!error.description.isEmpty, "an unusable file is refused with a reason")
        guard case .otherUser(let user?) = error else { return }
        do throws(KeyFile.Damage) { try readKeys(text, of: user) } catch {
            preconditionFailure("the file of a user is read as that")
        }
    }
}

private func readKeys(_ text: [UInt8], of user: UInt32?) throws(KeyFile.Damage) {
    let file = try KeyFile(text: text, of: user, machine: machine)
    let again = try KeyFile(text: file.text(machine: machine), of: user, machine: machine)
    precondition(again == file, "a file that was read is written as the same file")
    precondition((1...KeyFile.maximumSlots).contains(file.slots.count), "the number of slots is bounded")
    // No secret fits slots that nobody has wrapped. Passphrases are left out, because they take too long.
    do throws(KeyFile.Failure) {
        _ = try file.unlock(with: .credential(fixedKey(2)), machine: machine)
        preconditionFailure("a slot that nobody has wrapped does not open")
    } catch { precondition(error == .wrongSecret, "nothing fails for another reason: \(error)") }
}

private func readRecord(_ text: [UInt8]) {
    let record = AttemptRecord(text: text, machine: machine, at: now)
    precondition(record.generation >= 0 && record.limiter.failures >= 0, "counts are no negative numbers")
    let again = AttemptRecord(text: record.text(machine: machine), machine: machine, at: now)
    precondition(again == record, "a record that was read is written as the same record")
    precondition(record.limiter.wait(at: now) <= 3_600, "a wait is bounded")
}

private func readWords(_ bytes: [UInt8]) {
    do {
        let secret = try Secret(capacity: max(bytes.count, 1)) { room throws(SystemError) in
            room.copyBytes(from: bytes)
            return bytes.count
        }
        let key = try RecoveryKey.key(of: secret)
        let words = try RecoveryKey.text(of: key)
        let again = try RecoveryKey.key(of: words)
        precondition(again.isEqual(to: key), "a key has its own words")
    } catch { precondition(bytes.count < 1 << 20, "other words are refused with an error") }
}

private func openRows(_ bytes: [UInt8]) {
    for protection in ProtectionClass.allCases {
        let place = Segment.Place(
            keyFile: Array(bytes.prefix(16)), protection: protection, number: Int64(bytes.count), owner: bytes)
        do throws(SystemError) {
            let opened = try Segment(place, wrapped: bytes).open(with: fixedKey(3))
            precondition(opened == nil, "a key that nobody has wrapped does not open")
        } catch { preconditionFailure("nothing fails for another reason: \(error)") }
        precondition(
            RowCipher(fixedKey(4), place).open(bytes.span, number: 1) == nil,
            "a row that nobody has sealed does not open")
    }
}

private func fixedKey(_ byte: UInt8) -> SymmetricKey {
    do throws(SystemError) {
        guard let key = try SymmetricKey(copying: [UInt8](repeating: byte, count: SymmetricKey.size)) else {
            preconditionFailure("a key has this size")
        }
        return key
    } catch { preconditionFailure("there is memory: \(error)") }
}
