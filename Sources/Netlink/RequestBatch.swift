import Reachability

/// Questions as they are sent together, kept because the next ones are nearly always the same.
struct RequestBatch {
    /// What is asked.
    let queries: [KernelQuery]
    /// The requests one behind the other.
    var bytes: [UInt8] = []
    /// How many requests there are: a route takes two.
    private(set) var requestCount = 0
    /// What answered each request, valid as long as the exchange keeps it.
    var answers: [UnsafeRawBufferPointer?] = []
    /// For each question the place of its first request.
    private var places: [Int] = []

    /// No requests yet for these questions.
    init(_ queries: [KernelQuery]) { self.queries = queries }

    /// Adds a request, the first one of the next question or one more of the same.
    mutating func add(_ request: UnsafeRawBufferPointer, isFirst: Bool) {
        if isFirst { places.append(requestCount) }
        bytes.append(contentsOf: request)
        // Each begins where a header may stand.
        while bytes.count % 4 != 0 { bytes.append(0) }
        requestCount += 1
    }

    /// What answered a question's first or second request; nil where nothing did.
    func answer(to place: Int, second isSecond: Bool = false) -> UnsafeRawBufferPointer? {
        let request = places[place] + (isSecond ? 1 : 0)
        return request < answers.count ? answers[request] : nil
    }
}
