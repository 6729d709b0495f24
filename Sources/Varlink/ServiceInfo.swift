import Platform

/// A service's information about itself: the reply of `org.varlink.service.GetInfo`.
public struct ServiceInfo: Equatable, Sendable {
    /// The vendor.
    public var vendor: String
    /// The product.
    public var product: String
    /// The release.
    public var version: String
    /// A page with more information.
    public var url: String
    /// The names of its interfaces.
    public var interfaces: [String]
    /// The number of its protocol, larger for newer ones; nil if it has none.
    public var protocolNumber: Int?
    /// Features that another service with the same number may lack.
    public var features: [String]

    /// Information with these values.
    public init(
        vendor: String, product: String, version: String, url: String, interfaces: [String] = [],
        protocolNumber: Int? = nil, features: [String] = []
    ) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
        self.interfaces = interfaces
        self.protocolNumber = protocolNumber
        self.features = features
    }

    /// The interface that every service has.
    public static let interfaceText = """
        # What every Varlink service answers.
        interface org.varlink.service

        # Who the service is, and which interfaces it has.
        method GetInfo() -> (
          vendor: string,
          product: string,
          version: string,
          url: string,
          interfaces: []string,
          # Which state of its interfaces the service speaks: larger is newer, and has all that a smaller one has. Absent
          # where it does not count them.
          protocol: ?int,
          # What it offers that another of the same number may not, because of how it was built, where it runs or what it
          # is told to do. New words may come.
          features: ?[]string
        )

        # The text of one of the interfaces.
        method GetInterfaceDescription(interface: string) -> (description: string)

        # There is no such interface.
        error InterfaceNotFound (interface: string)

        # The interface has no such method.
        error MethodNotFound (method: string)

        # The service lacks a method that its interface has.
        error MethodNotImplemented (method: string)

        # A parameter is missing or does not hold what it should.
        error InvalidParameter (parameter: string)

        # The caller may not call the method.
        error PermissionDenied ()

        # The method replies more than once and was called without more.
        error ExpectedMore ()

        """
}

/// Provides the features that a service offers at present.
@DaemonActor
public protocol FeatureSource {
    /// The names of the features.
    var offered: [String] { get }
}
