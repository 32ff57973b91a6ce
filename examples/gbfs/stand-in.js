import { json, serveStandIn } from '../serve-stand-in.js';

const TTL_SECONDS = 5;
const STATIONS = ['Station', 'Korenmarkt', 'Zuid', 'Dampoort', 'Watersportbaan'];
const DOCKS = 20;

/** A file of GBFS 3.0: what every one has around its data. */
function file(/** @type {object} */ data) {
  return json({ last_updated: new Date().toISOString(), ttl: TTL_SECONDS, version: '3.0', data });
}

/** How many bikes stand at a station now: each has a rhythm of its own. */
function bikesAt(/** @type {number} */ number) {
  const minutes = Date.now() / 60_000;
  return Math.round((DOCKS / 2) * (1 + Math.sin(minutes * (number + 2))));
}

serveStandIn(8082, (origin) => ({
  '/gbfs.json': () =>
    file({
      feeds: ['station_information', 'station_status'].map((name) => ({ name, url: `${origin}/${name}.json` })),
    }),
  '/station_information.json': () =>
    file({
      stations: STATIONS.map((name, number) => ({
        station_id: `st-${number}`,
        name: [{ text: name, language: 'nl' }],
        lat: 51.03 + 0.01 * number,
        lon: 3.7 + 0.01 * number,
        capacity: DOCKS,
      })),
    }),
  '/station_status.json': () =>
    file({
      stations: STATIONS.map((_, number) => ({
        station_id: `st-${number}`,
        num_vehicles_available: bikesAt(number),
        num_docks_available: DOCKS - bikesAt(number),
        is_installed: true,
        is_renting: true,
        is_returning: true,
        last_reported: new Date().toISOString(),
      })),
    }),
}));
