// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "notes",
    // Outside this checkout: .package(url: "https://…/waymark.git", from: "0.1.0")
    dependencies: [.package(name: "waymark", path: "../../..")],
    targets: [
        .executableTarget(name: "notes", dependencies: [.product(name: "Waymark", package: "waymark")])
    ]
)
