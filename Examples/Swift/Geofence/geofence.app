# /etc/waymark/apps/geofence.app
[App]
Name=Geofence
Unit=geofence.service
AlwaysInUse=yes
WhenInUseUsageDescription=Opens the gate when the vehicle comes to the yard.
AlwaysAndWhenInUseUsageDescription=Opens the gate when the vehicle comes to the yard.
