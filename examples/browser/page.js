import { createLiveClient } from '@ldes-live/client/browser';
import { readLine } from './line.js';
import { readVehicle } from './vehicle.js';
import { VehicleMap } from './vehicle-map.js';
import { VehicleTable } from './vehicle-table.js';

/** @import { Follower, LiveStatus } from '@ldes-live/client/browser' */
/** @import { Line } from './line.js' */
/** @import { Member } from './vehicle.js' */

const MALS_SECONDS = [0.5, 1, 2, 5, 10, 20, 30, 60];
const LOOK_MS = 500;

const query = new URLSearchParams(location.search);
const url = query.get('stream') ?? 'http://localhost:3000/vehicles';
const timetable = query.get('timetable') ?? new URL('timetable', url).href;
const client = createLiveClient({ mal: 10 });
/** @type {Map<string, Line>} */
const lines = new Map();
const map = new VehicleMap(/** @type {SVGSVGElement} */ (document.querySelector('#map')));
const table = new VehicleTable(/** @type {HTMLTableSectionElement} */ (document.querySelector('#rows')));
const slider = /** @type {HTMLInputElement} */ (element('mal'));

let stop = new AbortController();
/** @type {Follower | undefined} */
let follower;
let versions = 0;
let isDrawingDue = false;

slider.max = String(MALS_SECONDS.length - 1);
slider.value = String(
  MALS_SECONDS.findLastIndex((seconds, index) => index === 0 || seconds <= Number(query.get('mal') ?? 1)),
);
slider.addEventListener('input', showMal);
slider.addEventListener('change', start);
const link = /** @type {HTMLAnchorElement} */ (element('stream'));
link.href = url;
link.textContent = url;
// The bound grows while nothing is heard, without any event.
setInterval(() => follower && showStatus(follower.status), LOOK_MS);
showMal();
followLines();
start();

/** Learns what the lines are called, and their colours; a vehicle gets them with its next update. */
function followLines() {
  const follower = client.follow(timetable, { mal: 60 });
  follower.latest().on('upsert', (member) => {
    const line = readLine(member);
    if (line) lines.set(member.entity, line);
  });
  // There may be no timetable: lines have their numbers then.
  follower.run().catch(() => {});
}

/** Follows the stream with the MAL of the slider, in place of what was followed before. */
function start() {
  stop.abort();
  stop = new AbortController();
  const { signal } = stop;
  const mal = malSeconds();
  const current = client.follow(url, { mal, signal });
  const startedAtMs = Date.now();
  follower = current;
  versions = 0;
  element('problem').hidden = true;
  const entities = current.latest();
  map.clear();
  table.clear();
  entities.on('upsert', (member) => put(member, startedAtMs));
  entities.on('delete', ({ entity }) => remove(entity));
  entities.on('reset', () => {
    map.clear();
    table.clear();
    drawSoon();
  });
  current.on('status', showStatus);
  // What changes is in the entities and their events: nothing has to be iterated over.
  current.run().catch((error) => {
    if (signal.aborted) return;
    element('problem').textContent = `${error.code ?? 'Failed'}: ${error.message}`;
    element('problem').hidden = false;
  });
}

/**
 * @param {Member} member
 * @param {number} startedAtMs
 */
function put(member, startedAtMs) {
  const vehicle = readVehicle(member, lines);
  const publishedAtMs = Date.parse(member.time);
  // What was published before the page was there came as late as the page did.
  const lag = publishedAtMs < startedAtMs ? '' : span(Math.max(Date.now() - publishedAtMs, 0));
  map.put(vehicle);
  table.put(vehicle, lag);
  versions += 1;
  drawSoon();
}

/** @param {string} entity */
function remove(entity) {
  map.remove(entity);
  table.remove(entity);
  versions += 1;
  drawSoon();
}

/** One drawing for what arrives together. */
function drawSoon() {
  if (isDrawingDue) return;
  isDrawingDue = true;
  requestAnimationFrame(() => {
    isDrawingDue = false;
    map.draw();
    element('count').textContent = String(table.size);
    element('versions').textContent = String(versions);
  });
}

/** @param {LiveStatus} status */
function showStatus({ mode, reason, source, dataAgeMs, lagBoundMs, updates, maxLagMs, malMisses, requests, bytes }) {
  const pill = element('mode');
  pill.textContent = mode;
  pill.dataset.mode = mode;
  setText('reason', reason);
  setText('bound', Number.isFinite(lagBoundMs) ? span(lagBoundMs) : 'not known yet');
  element('bound').className = lagBoundMs <= malSeconds() * 1000 ? 'good' : 'bad';
  setText('age', dataAgeMs === undefined ? 'none yet' : `${span(dataAgeMs)} old`);
  setText('worst', updates === 0 ? 'none yet' : `${span(maxLagMs)} late`);
  setText('misses', String(malMisses));
  element('misses').className = malMisses > 0 ? 'bad' : '';
  if (source?.state === 'failing') {
    setText('source', `The source has been failing since ${source.since}: what is shown gets older.`);
    element('source').className = 'bad';
    element('source').hidden = false;
  } else {
    // It is empty until the source fails for the first time.
    setText('source', element('source').textContent === '' || !source ? '' : 'The source works again.');
    element('source').className = 'good';
  }
  setText('requests', String(requests));
  setText('bytes', bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
}

function showMal() {
  setText('mal-value', `${malSeconds()} s`);
  slider.setAttribute('aria-valuetext', `${malSeconds()} seconds`);
}

function malSeconds() {
  return MALS_SECONDS[Number(slider.value)] ?? 10;
}

/** @param {number} ms */
function span(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 99_950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}

/**
 * @param {string} id
 * @param {string} text
 */
function setText(id, text) {
  const node = element(id);
  // What a screen reader watches must not change when it says the same.
  if (node.textContent !== text) node.textContent = text;
}

/** @param {string} id */
function element(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}
