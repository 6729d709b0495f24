import CSQLite
import Cryptography
import Glibc

/// A file of a sealed database. Pages are sealed when SQLite writes them, and opened when it reads them; the rest of a log,
/// which is its header and the number, the salts and the checksums of each page, is stored as it is.
///
/// A write that is no whole page is refused, so that nothing is ever stored plain. For one thread at a time, as the connection.
final class SealedFile {
    /// The bytes before the file of the other file system.
    static let headSize = (MemoryLayout<waymark_sealed_file>.size + 15) / 16 * 16

    private enum Kind {
        case database, log
        /// A rollback journal, which a database with a log does not have; no page is ever written to it.
        case journal
    }

    /// The header of a log, and the part of a frame before the page (sqlite.org/walformat.html).
    private static let logHeader: Int64 = 32
    private static let frameHeader = 24

    /// SQLITE_IOERR_SHORT_READ and SQLITE_IOERR_WRITE, which Swift does not import.
    private static let (shortRead, writeRefused) = (SQLITE_IOERR | 2 << 8, SQLITE_IOERR | 3 << 8)

    private let kind: Kind
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let cipher: SealedPage
    /// A page as it is stored, and as SQLite has it.
    private let sealed = UnsafeMutableRawBufferPointer.allocate(byteCount: SealedPage.size, alignment: 16)
    private let page = UnsafeMutableRawBufferPointer.allocate(byteCount: SealedPage.size, alignment: 16)

    private init(_ kind: Kind, _ file: UnsafeMutablePointer<sqlite3_file>, _ key: SymmetricKey) {
        self.kind = kind
        self.file = file
        cipher = SealedPage(key, kind == .log ? .log : .database)
    }

    deinit {
        sealed.deallocate()
        page.deallocate()
    }

    // Opening

    /// xOpen: opens the file in the other file system. SQLite makes other files than these only where it may not.
    static func open(
        _ parent: UnsafeMutablePointer<sqlite3_vfs>, _ name: sqlite3_filename?,
        _ head: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let head, let name else { return SQLITE_CANTOPEN }
        head.pointee.pMethods = nil
        let kind: Kind
        switch flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL) {
        case SQLITE_OPEN_MAIN_DB: kind = .database
        case SQLITE_OPEN_WAL: kind = .log
        case SQLITE_OPEN_MAIN_JOURNAL: kind = .journal
        default: return SQLITE_CANTOPEN
        }
        guard let key = SealedFileSystem.key(of: name) else { return SQLITE_CANTOPEN }
        let inner = (UnsafeMutableRawPointer(head) + headSize).assumingMemoryBound(to: sqlite3_file.self)
        let code = parent.pointee.xOpen(parent, name, inner, flags, outFlags)
        guard code == SQLITE_OK else {
            if inner.pointee.pMethods != nil { _ = inner.pointee.pMethods.pointee.xClose(inner) }
            return code
        }
        let state = Unmanaged.passRetained(SealedFile(kind, inner, key)).toOpaque()
        UnsafeMutableRawPointer(head).assumingMemoryBound(to: waymark_sealed_file.self).pointee.state = state
        head.pointee.pMethods = UnsafePointer(methods)
        return SQLITE_OK
    }

    private static func of(_ head: UnsafeMutablePointer<sqlite3_file>?) -> SealedFile {
        guard let head,
            let state = UnsafeMutableRawPointer(head).assumingMemoryBound(to: waymark_sealed_file.self).pointee.state
        else { preconditionFailure("SQLite passes files that were opened") }
        return Unmanaged<SealedFile>.fromOpaque(state).takeUnretainedValue()
    }

    private static func close(_ head: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
        guard let head else { return SQLITE_OK }
        let state = UnsafeMutableRawPointer(head).assumingMemoryBound(to: waymark_sealed_file.self).pointee.state
        head.pointee.pMethods = nil
        guard let state else { return SQLITE_OK }
        let own = Unmanaged<SealedFile>.fromOpaque(state)
        let code = own.takeUnretainedValue().call { $0.pointee.xClose($1) }
        own.release()
        return code
    }

    private func call(
        _ body: (UnsafePointer<sqlite3_io_methods>, UnsafeMutablePointer<sqlite3_file>) -> Int32
    ) -> Int32 {
        body(file.pointee.pMethods, file)
    }

    // Reading

    private func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 {
        guard kind != .journal else { return readPlain(bytes, at: offset) }
        // Looking for the end of a log, SQLite reads whole frames, of which the last may be incomplete: it recognizes that by
        // their checksums. Of the database it reads parts of the first page, whose content may be in the log while a
        // checkpoint has written it half: it reads the whole page where that is what counts.
        let mayBeDamaged = kind == .log ? bytes.count > SealedPage.size : bytes.count < SealedPage.size
        var result = SQLITE_OK
        var rest = bytes
        var position = offset
        while rest.count > 0 {
            let part = part(at: position, atMost: rest.count)
            let room = UnsafeMutableRawBufferPointer(rebasing: rest[..<part.count])
            var code: Int32
            if let start = part.page {
                code = readPage(at: start, mayBeDamaged: mayBeDamaged)
                room.copyMemory(from: UnsafeRawBufferPointer(rebasing: page[part.within..<(part.within + part.count)]))
            } else {
                code = readPlain(room, at: position)
            }
            if code == Self.shortRead {
                result = code
            } else if code != SQLITE_OK {
                return code
            }
            rest = UnsafeMutableRawBufferPointer(rebasing: rest[part.count...])
            position += Int64(part.count)
        }
        return result
    }

    /// What is at a position: a part of the page that begins at `page`, or of what is stored plain.
    private func part(at position: Int64, atMost most: Int) -> (page: Int64?, within: Int, count: Int) {
        let size = Int64(SealedPage.size)
        if kind == .database {
            let within = position % size
            return (position - within, Int(within), min(most, Int(size - within)))
        }
        if position < Self.logHeader { return (nil, 0, min(most, Int(Self.logHeader - position))) }
        let frame = size + Int64(Self.frameHeader)
        let within = (position - Self.logHeader) % frame - Int64(Self.frameHeader)
        if within < 0 { return (nil, 0, min(most, Int(-within))) }
        return (position - within, Int(within), min(most, Int(size - within)))
    }

    /// Reads a page into `page`. One that is not genuine is an error, or reads as zeros where it may be damaged.
    private func readPage(at start: Int64, mayBeDamaged: Bool) -> Int32 {
        let code = readPlain(sealed, at: start)
        guard code == SQLITE_OK || code == Self.shortRead else { return code }
        var number: UInt32 = 0
        let found = self.number(ofPageAt: start, &number)
        guard found == SQLITE_OK || found == Self.shortRead else { return found }
        if cipher.open(UnsafeRawBufferPointer(sealed), number: number, into: page) || mayBeDamaged { return code }
        // Beyond the end of the file there is nothing.
        if code == Self.shortRead, sealed.allSatisfy({ $0 == 0 }) { return code }
        return SQLITE_CORRUPT
    }

    /// The number of a page: that of its place in a database, and in a log the one in the frame's header.
    private func number(ofPageAt start: Int64, _ number: inout UInt32) -> Int32 {
        if kind == .database {
            number = UInt32(truncatingIfNeeded: start / Int64(SealedPage.size) + 1)
            return SQLITE_OK
        }
        var bigEndian: UInt32 = 0
        let code = withUnsafeMutableBytes(of: &bigEndian) { readPlain($0, at: start - Int64(Self.frameHeader)) }
        number = UInt32(bigEndian: bigEndian)
        return code
    }

    private func readPlain(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 {
        call { $0.pointee.xRead($1, bytes.baseAddress, Int32(bytes.count), offset) }
    }

    // Writing

    private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
        let part = part(at: offset, atMost: bytes.count)
        let isPage = bytes.count == SealedPage.size
        switch kind {
        case .journal:
            if isPage { return Self.writeRefused }
        case .log where part.page == nil && part.count == bytes.count:
            break
        case .database, .log:
            guard isPage, part.page == offset else { return Self.writeRefused }
            var number: UInt32 = 0
            let found = self.number(ofPageAt: offset, &number)
            guard found == SQLITE_OK else { return found }
            guard cipher.seal(bytes, number: number, into: sealed) else { return Self.writeRefused }
            return call { $0.pointee.xWrite($1, sealed.baseAddress, Int32(sealed.count), offset) }
        }
        return call { $0.pointee.xWrite($1, bytes.baseAddress, Int32(bytes.count), offset) }
    }

    // Methods

    /// The methods of SQLite's interface in its version 2: without mapping files into memory, which would show the pages as
    /// they are stored.
    nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: sqlite3_io_methods())
        methods.pointee.iVersion = 2
        methods.pointee.xClose = { SealedFile.close($0) }
        methods.pointee.xRead = { file, bytes, count, offset in
            SealedFile.of(file).read(UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)), at: offset)
        }
        methods.pointee.xWrite = { file, bytes, count, offset in
            SealedFile.of(file).write(UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: offset)
        }
        methods.pointee.xTruncate = { file, size in SealedFile.of(file).call { $0.pointee.xTruncate($1, size) } }
        methods.pointee.xSync = { file, flags in SealedFile.of(file).call { $0.pointee.xSync($1, flags) } }
        methods.pointee.xFileSize = { file, size in SealedFile.of(file).call { $0.pointee.xFileSize($1, size) } }
        methods.pointee.xLock = { file, level in SealedFile.of(file).call { $0.pointee.xLock($1, level) } }
        methods.pointee.xUnlock = { file, level in SealedFile.of(file).call { $0.pointee.xUnlock($1, level) } }
        methods.pointee.xCheckReservedLock = { file, result in
            SealedFile.of(file).call { $0.pointee.xCheckReservedLock($1, result) }
        }
        methods.pointee.xFileControl = { file, operation, argument in
            SealedFile.of(file).call { $0.pointee.xFileControl($1, operation, argument) }
        }
        methods.pointee.xSectorSize = { file in SealedFile.of(file).call { $0.pointee.xSectorSize($1) } }
        methods.pointee.xDeviceCharacteristics = { file in
            // Writes of several pages at once would not pass through here.
            SealedFile.of(file).call { $0.pointee.xDeviceCharacteristics($1) } & ~SQLITE_IOCAP_BATCH_ATOMIC
        }
        methods.pointee.xShmMap = { file, region, size, extends, memory in
            SealedFile.of(file).call { $0.pointee.xShmMap($1, region, size, extends, memory) }
        }
        methods.pointee.xShmLock = { file, offset, count, flags in
            SealedFile.of(file).call { $0.pointee.xShmLock($1, offset, count, flags) }
        }
        methods.pointee.xShmBarrier = { file in
            _ = SealedFile.of(file).call { methods, file in
                methods.pointee.xShmBarrier(file)
                return SQLITE_OK
            }
        }
        methods.pointee.xShmUnmap = { file, deletes in SealedFile.of(file).call { $0.pointee.xShmUnmap($1, deletes) } }
        return methods
    }()
}
