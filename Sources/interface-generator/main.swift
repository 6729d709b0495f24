import Glibc
import InterfaceGenerator
import Platform

// interface-generator FILE: prints the Swift types of the interface in the file.
// interface-generator --errors FILE...: prints the names of all errors of these interfaces.
// interface-generator --events TABLE: prints the Swift source of the kinds of events in the table.
// interface-generator --catalog TABLE: prints the catalog of the system's journal.
// interface-generator --list-events TABLE FILE: prints the file, an interface or a page of the documentation, with the
//     kinds that it lists replaced.

/// The limit for the size of an interface's text, in bytes.
let longestText = 1 << 20

func text(of path: String) throws -> String {
    String(decoding: try BoundedFile.bytes(of: path, limit: longestText), as: UTF8.self)
}

func usage() -> Never {
    print("usage: interface-generator [--errors | --events | --catalog | --list-events] FILE...")
    exit(2)
}

var arguments = CommandLine.arguments.dropFirst()
do {
    if arguments.first == "--errors" {
        let texts = try arguments.dropFirst().map(text)
        print(try InterfaceGenerator.errorNames(of: texts), terminator: "")
    } else if let option = arguments.first, option.hasPrefix("--"), let path = arguments.dropFirst().first {
        let table = try EventTable(text(of: path))
        switch (option, arguments.dropFirst(2).first) {
        case ("--events", nil): print(try table.swift(), terminator: "")
        case ("--catalog", nil): print(table.catalog, terminator: "")
        case ("--list-events", let file?):
            let old = try text(of: file)
            guard let new = file.hasSuffix(".varlink") ? table.interfaceWithKinds(old) : table.pageWithKinds(old) else {
                print("interface-generator: \(file) has no place for the kinds of events")
                exit(1)
            }
            print(new, terminator: "")
        default: usage()
        }
    } else if let path = arguments.first, arguments.count == 1 {
        print(try InterfaceGenerator(text(of: path)).text(), terminator: "")
    } else {
        usage()
    }
} catch {
    print("interface-generator: \(arguments.last ?? ""): \(error)")
    exit(1)
}
