import Cryptography
import Location
import Platform
import Protection
import Storage

/// Seals and opens the payloads of recordings, segment by segment, with the keys that there are at present. For the storage
/// thread.
///
/// A segment that is being written belongs to one recording, table and class. It ends after `Segment.mostRows` rows or
/// `Segment.longest` seconds, and whenever the keys change or a transaction fails.
final class RecordSealer {
    /// The keys with which rows are sealed and opened.
    private(set) var keys: Keyring

    private struct Slot: Hashable {
        let place: RowPlace
        let protection: ProtectionClass
    }

    /// A segment that rows are added to.
    struct Writing {
        let number: Int64
        let cipher: RowCipher
        let began: Int64
        var rows = 0
        var last: Int64 = 0
        /// Whether `last` differs from the one in the database.
        var isExtended = false
    }

    /// What a row says about its segment. All of it has to be true of the segment.
    private struct Source: Hashable {
        let segment: Int64
        let protection: Int64
        let place: RowPlace
    }

    /// A segment that rows are read from.
    private enum Reading {
        case cipher(RowCipher)
        case locked(ReadingKey)
        case damaged
    }

    private let statements: RecordingStatements
    private var writing: [Slot: Writing] = [:]
    private var reading: [Source: Reading] = [:]
    /// The sealed bytes of the last row; its memory is used again.
    private(set) var sealed: [UInt8] = []

    /// The most segments whose keys are in memory for reading.
    private static let mostReading = 16

    init(_ statements: RecordingStatements, _ keys: Keyring) {
        self.statements = statements
        self.keys = keys
    }

    /// Sets the keys. It ends the segments of a user whose keys they are, or all, so that no key of a row outlives the keys of its
    /// class.
    func use(_ keys: Keyring, changedOf user: UInt32?) {
        self.keys = keys
        guard let user else {
            (writing, reading) = ([:], [:])
            return
        }
        writing = writing.filter { $0.key.place.user != user }
        reading = reading.filter { $0.key.place.user != user }
    }

    /// Forgets the segments that are being written: the next row of each begins another one.
    func endWriting() { writing = [:] }

    /// Forgets one of them likewise.
    func endWriting(_ number: Int64) { writing = writing.filter { $0.value.number != number } }

    // Sealing

    /// Seals a payload into `sealed`, within a transaction, and returns the segment; nil if the class cannot be written.
    func seal(
        _ payload: [UInt8], number: Int64, in place: RowPlace, _ protection: ProtectionClass, atMicroseconds now: Int64
    ) throws(StorageError) -> Int64? {
        try seal(payload, payload.indices, number: number, in: place, protection, atMicroseconds: now)
    }

    /// Seals a part of a buffer likewise.
    func seal(
        _ buffer: [UInt8], _ range: Range<Int>, number: Int64, in place: RowPlace, _ protection: ProtectionClass,
        atMicroseconds now: Int64
    ) throws(StorageError) -> Int64? {
        let slot = Slot(place: place, protection: protection)
        var segment: Writing
        if let open = writing[slot], open.rows < Segment.mostRows, open.isYoung(at: now) {
            segment = open
        } else {
            if let ended = writing.removeValue(forKey: slot) { try extend(ended) }
            guard let begun = try begin(place, protection, first: number, atMicroseconds: now) else { return nil }
            segment = begun
        }
        seal(buffer, range, number: number, in: &segment)
        writing[slot] = segment
        return segment.number
    }

    /// Seals a payload into `sealed` with the key of a segment.
    func seal(_ buffer: [UInt8], _ range: Range<Int>, number: Int64, in segment: inout Writing) {
        sealed.removeAll(keepingCapacity: true)
        segment.cipher.seal(buffer.span.extracting(range), number: number, appendingTo: &sealed)
        segment.rows += 1
        segment.last = number
        segment.isExtended = true
    }

    /// Begins a segment, within a transaction; nil if the class cannot be written.
    func begin(
        _ place: RowPlace, _ protection: ProtectionClass, first: Int64, atMicroseconds now: Int64
    ) throws(StorageError) -> Writing? {
        guard let (writing, keyFile) = keys.writing(protection, of: place.user) else { return nil }
        var number: Int64 = 1
        try statements.lastSegment.first { number = $0.integer(0) + 1 }
        let begun: (segment: Segment, rows: RowCipher)?
        do throws(SystemError) {
            begun = try Segment.begin(
                Segment.Place(keyFile: keyFile, protection: protection, number: number, owner: place.owner),
                with: writing)
        } catch {
            throw StorageError(error)
        }
        guard let begun else { return nil }
        try statements.insertSegment.run([
            .integer(number), .integer(place.recording), .integer(place.isDeadLetter ? 1 : 0),
            .integer(Int64(protection.rawValue)), .blob(keyFile), .integer(now), .integer(first), .integer(first),
            .blob(begun.segment.wrapped),
        ])
        return Writing(number: number, cipher: begun.rows, began: now)
    }

    /// Stores up to which rows the segments reach that were written, within a transaction.
    func writeEnds() throws(StorageError) {
        for (slot, segment) in writing where segment.isExtended {
            try extend(segment)
            writing[slot]?.isExtended = false
        }
    }

    /// Stores the last row of a segment, within a transaction.
    func extend(_ segment: Writing) throws(StorageError) {
        guard segment.isExtended else { return }
        try statements.extendSegment.run([.integer(segment.last), .integer(segment.number)])
    }

    /// The segment of a place that is being written, which is not removed although all its rows are erased.
    func isWriting(_ number: Int64) -> Bool { writing.values.contains { $0.number == number } }

    // Opening

    /// The payload of a sealed row.
    func open(
        _ bytes: Span<UInt8>, number: Int64, in place: RowPlace, _ protection: Int64, segment: Int64
    ) throws(RowFailure) -> [UInt8] {
        let source = Source(segment: segment, protection: protection, place: place)
        let found: Reading
        if let known = reading[source] {
            found = known
        } else {
            do throws(StorageError) { found = try read(source) } catch { throw .journal(error) }
            if reading.count >= Self.mostReading { reading = [:] }
            reading[source] = found
        }
        switch found {
        case .cipher(let cipher):
            guard let payload = cipher.open(bytes, number: number) else { throw .damaged }
            return payload
        case .locked(let key): throw .locked(.protected("read recorded positions", key))
        case .damaged: throw .damaged
        }
    }

    private func read(_ source: Source) throws(StorageError) -> Reading {
        let (number, place, protection) = (source.segment, source.place, source.protection)
        var found: (keyFile: [UInt8], wrapped: [UInt8])?
        try statements.segment.first([
            .integer(number), .integer(place.recording), .integer(place.isDeadLetter ? 1 : 0), .integer(protection),
        ]) { row in
            found = (row.withBytes(0) { Array($0) }, row.withBytes(1) { Array($0) })
        }
        guard let found, let known = UInt8(exactly: protection).flatMap(ProtectionClass.init(rawValue:)) else {
            return .damaged
        }
        let segmentPlace = Segment.Place(
            keyFile: found.keyFile, protection: known, number: number, owner: place.owner)
        let key = keys.reading(segmentPlace, of: place.user)
        guard case .key(let own) = key else { return .locked(key) }
        do throws(SystemError) {
            let cipher = try Segment(segmentPlace, wrapped: found.wrapped).open(with: own)
            return cipher.map(Reading.cipher) ?? .damaged
        } catch { throw StorageError(error) }
    }
}

extension RecordSealer.Writing {
    /// Whether it may take more rows; false as well after the clock was set back.
    fileprivate func isYoung(at now: Int64) -> Bool {
        now >= began && now - began < Int64(Segment.longest * 1_000_000)
    }
}
