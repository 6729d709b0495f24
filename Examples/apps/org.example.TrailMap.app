# /usr/share/waymark/apps/org.example.TrailMap.app
[App]
Name=Trail Map
Name[ko]=등산 지도
Flatpak=org.example.TrailMap
WhenInUseUsageDescription=Shows where you are on the map.
WhenInUseUsageDescription[ko]=지도에 현재 위치를 표시합니다.
AlwaysAndWhenInUseUsageDescription=Records your hike while the screen is off.
Record=yes

[TemporaryUsage]
Navigation=Spoken directions need your exact position.
