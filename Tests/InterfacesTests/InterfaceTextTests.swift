import Interfaces
import Testing
import Varlink

@Suite struct InterfaceTextTests {
    @Test(arguments: WaymarkInterface.allCases) func `every interface's text is well formed and contains its name`(
        interface: WaymarkInterface
    ) throws {
        let description = try InterfaceDescription(parsing: interface.text)
        #expect(description.name == interface.rawValue)
        #expect(!description.documentation.isEmpty)
        for method in description.methods.values {
            #expect(!method.documentation.isEmpty, "\(method.name) has no documentation")
        }
    }

    @Test func `every error carries a message`() throws {
        for interface in WaymarkInterface.allCases {
            for (name, fields) in try InterfaceDescription(parsing: interface.text).errors {
                #expect(fields.contains { $0.name == "message" }, "\(name) has no message")
            }
        }
    }
}
