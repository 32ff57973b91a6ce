import { json, serveStandIn } from '../serve-stand-in.js';

const GARAGES = [
  { name: 'Market', spaces: 450, lat: 51.0565, lon: 3.7221 },
  { name: 'Cathedral', spaces: 320, lat: 51.0531, lon: 3.7262 },
  { name: 'South', spaces: 780, lat: 51.0442, lon: 3.7331 },
  { name: 'Station', spaces: 590, lat: 51.0361, lon: 3.7108 },
];

/** How many spaces are free now: a garage fills and empties within a quarter of an hour. */
function freeIn(/** @type {number} */ spaces, /** @type {number} */ number) {
  const quarters = Date.now() / 900_000;
  return Math.round((spaces / 2) * (1 + Math.sin(2 * Math.PI * (quarters + number / GARAGES.length))));
}

// As real interfaces have it: a page as id, truth as 0 and 1, JSON within a text, and a field that is always null.
serveStandIn(8083, () => ({
  '/garages.json': () =>
    json(
      GARAGES.map(({ name, spaces, lat, lon }, number) => {
        const free = freeIn(spaces, number);
        return {
          id: `https://parking.example/garages/${name.toLowerCase()}`,
          name,
          lastupdate: new Date().toISOString(),
          totalcapacity: spaces,
          availablecapacity: free,
          occupation: Math.round((100 * (spaces - free)) / spaces),
          isopennow: 1,
          temporaryclosed: 0,
          locationanddimension: JSON.stringify({ coordinatesForDisplay: { latitude: lat, longitude: lon } }),
          text: null,
        };
      }),
    ),
}));
