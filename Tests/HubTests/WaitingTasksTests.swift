import HTTPServing
import Location
import Platform
import Records
import Testing

@testable import Hub

/// The groups in which tasks are taken.
struct WaitingTasksTests {
    private let waiting = WaitingTasks()

    /// Adds a request with a body of so many bytes. Returns whether the desk has to be started.
    @discardableResult
    private func add(_ path: String, bytes: Int = 0) -> Bool {
        let request = ServedRequest(method: "POST", path: [path], body: [UInt8](repeating: 0, count: bytes))
        return waiting.add(WaitingTasks.Item(task: .request(request, nil)) { _ in })
    }

    private func paths(_ group: [WaitingTasks.Item]) -> [String] {
        group.map { item in if case .request(let request, _, _) = item.task { request.pathText } else { "" } }
    }

    @Test func `the desk is started by the first task, and again after it has found none`() {
        #expect(add("a"))
        #expect(!add("b"))
        #expect(paths(waiting.nextGroup()) == ["/a", "/b"])
        // The desk performs the group.
        #expect(!add("c"))
        #expect(paths(waiting.nextGroup()) == ["/c"])
        #expect(waiting.nextGroup().isEmpty)
        #expect(add("d"))
    }

    @Test func `a group that is taken early leaves the desk busy, also if there is none`() {
        add("a")
        #expect(paths(waiting.nextGroup()) == ["/a"])
        #expect(waiting.nextGroupEarly().isEmpty)
        #expect(!add("b"))
        #expect(paths(waiting.nextGroupEarly()) == ["/b"])
        #expect(!add("c"))
        #expect(paths(waiting.nextGroup()) == ["/c"])
    }

    @Test func `a group has 128 tasks at most, in their order, and each task is taken once`() {
        let all = (0..<300).map { "/\($0)" }
        for number in 0..<300 { add("\(number)") }
        #expect(waiting.count == 300)
        let groups = [waiting.nextGroup(), waiting.nextGroupEarly(), waiting.nextGroup(), waiting.nextGroup()]
        #expect(groups.map(\.count) == [128, 128, 44, 0])
        #expect(groups.flatMap(paths) == all)
        #expect(waiting.count == 0)
        #expect(waiting.taken == (3, 300))
    }

    @Test func `a group ends with the task that reaches 4 MiB, and a larger one is not left behind`() {
        let mebibyte = 1 << 20
        for number in 0..<5 { add("\(number)", bytes: mebibyte) }
        #expect(paths(waiting.nextGroup()) == ["/0", "/1", "/2", "/3"])
        add("large", bytes: 5 * mebibyte)
        add("small")
        #expect(paths(waiting.nextGroup()) == ["/4", "/large"])
        #expect(paths(waiting.nextGroup()) == ["/small"])
    }
}
