# /etc/waymark/apps/errands.app
[App]
Name=Errands
Unit=errands.service
WhenInUseUsageDescription=Runs your errands when the network is back.
AlwaysAndWhenInUseUsageDescription=Runs your errands when the network is back.
Containers=org.example.errands

[Wake]
Unit=errands.service
For=path target push
