# /etc/waymark/apps/fleet-report@.app
[App]
Name=Fleet Report
Unit=fleet-report@.service
WhenInUseUsageDescription=Tells the depot which vehicle is nearest to an order.
AlwaysAndWhenInUseUsageDescription=Tells the depot which vehicle is nearest to an order, day and night.
