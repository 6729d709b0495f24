import Glibc
import RecordScript
import Records
import RecordsSQLite
import TestSupport

/// Performs the requests of a script with an engine, and writes the number of each one that was acknowledged to a file in
/// the same folder: waymark-record-writer FOLDER FIRST COUNT
@main struct RecordWriterProgram {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let first = Int(arguments[2]), let count = Int(arguments[3]) else {
            print("usage: waymark-record-writer FOLDER FIRST COUNT")
            exit(2)
        }
        let folder = arguments[1]
        let acknowledged = try AcknowledgedNumbers(in: folder)
        let store = RecordStore(try SQLiteEngine(folder: folder), try TestSigner())
        try RecordScript.prepare(store)
        for number in first..<count {
            _ = try RecordScript.perform(number, store)
            try acknowledged.append(number)
        }
    }
}
