# /etc/waymark/apps/fleet-report@.app
[App]
Name=Fleet Report
Unit=fleet-report@.service
WhenInUseUsageDescription=Shows the depot which vehicle is nearest to an order.
AlwaysAndWhenInUseUsageDescription=Shows the depot which vehicle is nearest to an order, day and night.
