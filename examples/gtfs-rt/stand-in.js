import { buffer } from 'node:stream/consumers';
import { encodeFeed } from '@ldes-live/sources';
import { ZipFile } from 'yazl';
import { serveStandIn } from '../serve-stand-in.js';

const LINES = ['1', '2', '4', '10'];
const COLORS = ['e60000', '0066cc', '008a3e', 'f0a500'];
const VEHICLES = 24;

/** Where a vehicle is on the ring that its line runs. */
function vehicle(/** @type {number} */ number, /** @type {number} */ seconds) {
  const angle = (number / VEHICLES) * 2 * Math.PI + seconds / 90;
  const radius = 0.01 + 0.004 * (number % LINES.length);
  return {
    id: `vehicle-${number}`,
    vehicle: {
      trip: {
        trip_id: `trip-${number}`,
        route_id: LINES[number % LINES.length] ?? '1',
        start_date: new Date(seconds * 1000).toISOString().slice(0, 10).replaceAll('-', ''),
        schedule_relationship: /** @type {const} */ ('SCHEDULED'),
      },
      vehicle: { id: `car-${number}`, label: `Car ${number}` },
      position: {
        latitude: 51.05 + radius * Math.sin(angle),
        longitude: 3.72 + 1.6 * radius * Math.cos(angle),
        bearing: Math.round((((-angle * 180) / Math.PI) % 360) + 360) % 360,
        speed: 8,
      },
      timestamp: seconds,
    },
  };
}

/** How late the trip of a vehicle is, by a forecast for its next stop. */
function tripUpdate(/** @type {number} */ number, /** @type {number} */ seconds) {
  const { trip } = vehicle(number, seconds).vehicle;
  const delay = 30 * Math.round(4 + 4 * Math.sin(seconds / 60 + number));
  return { id: `trip-${number}`, trip_update: { trip, stop_time_update: [{ stop_sequence: 1, arrival: { delay } }] } };
}

const ALERT = {
  id: 'works',
  alert: {
    effect: /** @type {const} */ ('DETOUR'),
    informed_entity: [{ route_id: '4' }],
    header_text: { translation: [{ text: 'Works on ring 4', language: 'en' }] },
  },
};

/** A feed of entities that are told of now. */
function feed(/** @type {(seconds: number) => import('@ldes-live/sources').FeedEntity[]} */ entitiesAt) {
  const seconds = Math.floor(Date.now() / 1000);
  const body = encodeFeed({
    header: { gtfs_realtime_version: '2.0', incrementality: 'FULL_DATASET', timestamp: seconds },
    entity: entitiesAt(seconds),
  });
  return { type: 'application/x-protobuf', body };
}

const numbers = [...Array(VEHICLES).keys()];

/** The lines as a static GTFS has them. */
async function timetable() {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from('agency_name,agency_lang\nRing Lines,en\n'), 'agency.txt');
  const routes = LINES.map((line, index) => `${line},${line},Ring ${index + 1},3,${COLORS[index]}\n`);
  const columns = 'route_id,route_short_name,route_long_name,route_type,route_color\n';
  zip.addBuffer(Buffer.from(columns + routes.join('')), 'routes.txt');
  zip.end();
  return buffer(zip.outputStream);
}

const gtfs = await timetable();

serveStandIn(8081, () => ({
  '/vehiclepositions.pb': () => feed((seconds) => numbers.map((number) => vehicle(number, seconds))),
  '/tripupdates.pb': () => feed((seconds) => numbers.map((number) => tripUpdate(number, seconds))),
  '/alerts.pb': () => feed(() => [ALERT]),
  '/gtfs.zip': () => ({ type: 'application/zip', body: gtfs }),
}));
