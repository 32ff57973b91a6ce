#!/bin/sh
# Posts a water level: post.sh 8.42 [URL of the stream]
level=${1:?which level, such as 8.42}
stream=${2:-http://localhost:3107/water}
curl -sS --fail-with-body "$stream" \
  -H "authorization: Bearer ${TOKEN:-try-it-out}" \
  -H 'content-type: text/turtle' \
  --data-binary @- <<TURTLE
<$stream/entities/gauge-1> a <http://www.w3.org/ns/sosa/Observation> ;
  <http://www.w3.org/ns/sosa/hasSimpleResult> $level .
TURTLE
