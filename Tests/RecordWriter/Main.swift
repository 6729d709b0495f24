import Glibc
import RecordScript
import Records
import RecordsPostgreSQL
import RecordsSQLite
import TestSupport

/// Performs the requests of a script with an engine, and writes the number of each one that was acknowledged to a file in a
/// folder: waymark-record-writer FOLDER FIRST COUNT [ADDRESS]. The records are stored in a file in the same folder, or in the
/// database of PostgreSQL with this connection string.
@main struct RecordWriterProgram {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard [4, 5].contains(arguments.count), let first = Int(arguments[2]), let count = Int(arguments[3]) else {
            print("usage: waymark-record-writer FOLDER FIRST COUNT [ADDRESS]")
            exit(2)
        }
        let folder = arguments[1]
        if arguments.count == 5 {
            try write(first..<count, in: folder, try PostgreSQLEngine(arguments[4]))
        } else {
            try write(first..<count, in: folder, try SQLiteEngine(folder: folder))
        }
    }

    private static func write<Engine: RecordEngine>(_ numbers: Range<Int>, in folder: String, _ engine: Engine) throws {
        let acknowledged = try AcknowledgedNumbers(in: folder)
        let store = RecordStore(engine, try TestSigner())
        try RecordScript.prepare(store)
        for number in numbers {
            _ = try RecordScript.perform(number, store)
            try acknowledged.append(number)
        }
    }
}
