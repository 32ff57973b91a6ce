/*
 * A simulated city: lines, stops, vehicles, and which trip a vehicle is on at a moment.
 *
 * seed -> `transitNetwork` -> lines with a timetable in each direction, and vehicles that go out and back all day ->
 * `demoDuty` (which trip, at a moment) -> `tripDelay` (how late it is). All of it follows from the seed and the moment, so
 * that a demonstration that is started again goes on where it would have been.
 *
 *     { "id": "101", "label": "Tram 101", "line": { "id": "1", "name": "Tram 1", "routes": [{ "stops": [{ "id": "S101",
 *       "name": "Mill Street" }], "arrivalSeconds": [0, 98], "departureSeconds": [0, 123] }] }, "offsetSeconds": 31 }
 */

export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

interface DemoStop extends Place {
  readonly id: string;
  readonly name: string;
}

/** A line in one direction, with its timetable in seconds from the start of a trip. */
export interface DemoRoute {
  readonly line: string;
  readonly directionId: 0 | 1;
  readonly stops: readonly DemoStop[];
  /** The straight way from each stop to the next; the bearing in degrees clockwise from north, [0, 360). */
  readonly segments: readonly { readonly lengthMetres: number; readonly bearing: number }[];
  /** When each stop is reached; 0 at the first. */
  readonly arrivalSeconds: readonly number[];
  /** When each stop is left; at the last, when it is reached. */
  readonly departureSeconds: readonly number[];
  readonly durationSeconds: number;
}

interface DemoLine {
  readonly id: string;
  /** As people say it: "Tram 1". */
  readonly name: string;
  /** As GTFS has it: 0 for a tram, 3 for a bus. */
  readonly routeType: 0 | 3;
  readonly color: string;
  readonly routes: readonly [out: DemoRoute, back: DemoRoute];
}

/** A vehicle, which serves one line out and back all day and rests between rounds. */
export interface DemoVehicle {
  readonly id: string;
  /** As painted on it: "Tram 104". */
  readonly label: string;
  readonly line: DemoLine;
  /** When its rounds start, in seconds after a multiple of the length of a round. */
  readonly offsetSeconds: number;
}

export interface TransitNetwork {
  readonly seed: number;
  readonly agency: string;
  readonly lines: readonly DemoLine[];
  readonly vehicles: readonly DemoVehicle[];
}

export interface DemoTrip {
  readonly id: string;
  readonly route: DemoRoute;
  readonly startSeconds: number;
}

const METRES_PER_DEGREE = 111_195;
const CENTRE: Place = { latitude: 51.02, longitude: 3.45 };
const STOP_PLACES = 'Mill Chapel Harbour Market Castle Garden Bridge Orchard Linden Heron Quarry Weaver'.split(' ');
const STOP_KINDS = 'Street Square Lane Gate Park Quay Hill Cross'.split(' ');
const TRAM_LINES = 2;
const COLORS_OF_LINES = ['e60000', '0066cc', '008a3e', 'f0a500', '7b3fa0', '00889a'];
const LINES = COLORS_OF_LINES.length;
const STOPS_TOWARDS_EACH_END = [4, 5] as const;
const VEHICLES_PER_LINE = 4;
const CRUISE_METRES_PER_SECOND = 7;
const DWELL_SECONDS = 25;
const TURN_SECONDS = 90;
const REST_SECONDS = 240;
const BOARDING_SECONDS = 30;
/** The largest delay as a share of the duration of the trip; small enough that a late vehicle never runs backwards. */
const MAX_DELAY_SHARE = 0.1;
/** The same for being early. */
const MAX_EARLY_SHARE = 0.02;

/** The network of a seed: equal seeds give equal networks. */
export function transitNetwork(seed: number): TransitNetwork {
  const stopsPerLine = STOPS_TOWARDS_EACH_END[0] + STOPS_TOWARDS_EACH_END[1];
  const names = stopNames(seed);
  const hub: DemoStop = { id: 'S100', name: 'Central Station', ...CENTRE };
  const lines = Array.from({ length: LINES }, (_, index) =>
    layLine(seed, index, hub, names.slice(index * stopsPerLine, (index + 1) * stopsPerLine)),
  );
  const vehicles = lines.flatMap((line, index) => vehiclesOf(seed, line, index));
  return { seed, agency: 'lindermonde', lines, vehicles };
}

/** Each name for a stop once, in an order of the seed. */
function stopNames(seed: number): string[] {
  const order = (name: string) => seededUnit(seed, 'name', name);
  const names = STOP_PLACES.flatMap((place) => STOP_KINDS.map((kind) => `${place} ${kind}`));
  return names.sort((left, right) => order(left) - order(right));
}

function layLine(seed: number, index: number, hub: DemoStop, names: readonly string[]): DemoLine {
  const id = String(index + 1);
  const isTram = index < TRAM_LINES;
  const axis = (180 / LINES) * (index + 0.4 * seededUnit(seed, 'axis', index));
  const [before, after] = STOPS_TOWARDS_EACH_END;
  const arm = (bearing: number, end: string, from: number, count: number): DemoStop[] => {
    let [place, heading]: [Place, number] = [hub, bearing];
    return names.slice(from, from + count).map((name, step) => {
      heading += 36 * (seededUnit(seed, 'turn', id, end, step) - 0.5);
      place = placeAt(place, heading, 450 + 450 * seededUnit(seed, 'length', id, end, step));
      return { id: `S${id}${String(from + step + 1).padStart(2, '0')}`, name, ...place };
    });
  };
  const stops = [...arm(axis + 180, 'west', 0, before).reverse(), hub, ...arm(axis, 'east', before, after)];
  return {
    id,
    name: `${isTram ? 'Tram' : 'Bus'} ${id}`,
    routeType: isTram ? 0 : 3,
    color: COLORS_OF_LINES[index] as string,
    routes: [timetable(id, 0, stops), timetable(id, 1, stops.toReversed())],
  };
}

function timetable(line: string, directionId: 0 | 1, stops: readonly DemoStop[]): DemoRoute {
  const segments = stops.slice(1).map((stop, index) => wayBetween(stops[index] as DemoStop, stop));
  const arrivalSeconds = [0];
  const departureSeconds = [0];
  for (const [index, { lengthMetres }] of segments.entries()) {
    const arrival = (departureSeconds[index] as number) + Math.round(lengthMetres / CRUISE_METRES_PER_SECOND);
    arrivalSeconds.push(arrival);
    departureSeconds.push(index === segments.length - 1 ? arrival : arrival + DWELL_SECONDS);
  }
  const durationSeconds = arrivalSeconds.at(-1) as number;
  return { line, directionId, stops, segments, arrivalSeconds, departureSeconds, durationSeconds };
}

function vehiclesOf(seed: number, line: DemoLine, index: number): DemoVehicle[] {
  const headway = roundSeconds(line) / VEHICLES_PER_LINE;
  return Array.from({ length: VEHICLES_PER_LINE }, (_, number) => {
    const id = String(100 * (index + 1) + number + 1);
    const offsetSeconds = Math.round(headway * (number + 0.3 * seededUnit(seed, 'offset', id)));
    return { id, label: `${line.name.split(' ')[0]} ${id}`, line, offsetSeconds };
  });
}

/** The time from the start of one round of a line to the start of the next, in seconds. */
export function roundSeconds({ routes: [out, back] }: DemoLine): number {
  return out.durationSeconds + TURN_SECONDS + back.durationSeconds + REST_SECONDS;
}

/** The trip that a vehicle is on at a moment (epoch seconds), or stands ready for; `undefined` while it rests. */
export function demoDuty(vehicle: DemoVehicle, timeSeconds: number): DemoTrip | undefined {
  const [out, back] = vehicle.line.routes;
  const round = roundSeconds(vehicle.line);
  // Boarding for a round belongs to it, though the one before has not ended yet.
  const sinceOffset = timeSeconds + BOARDING_SECONDS - vehicle.offsetSeconds;
  const outStart = Math.floor(sinceOffset / round) * round + vehicle.offsetSeconds;
  if (timeSeconds < outStart + out.durationSeconds) return tripOf(out, outStart);
  const backStart = outStart + out.durationSeconds + TURN_SECONDS;
  return timeSeconds < backStart + back.durationSeconds ? tripOf(back, backStart) : undefined;
}

function tripOf(route: DemoRoute, startSeconds: number): DemoTrip {
  // No two vehicles of a line start in the same minute, so this names one trip of a day.
  const clock = new Date(1000 * startSeconds).toISOString().slice(11, 16).replace(':', '');
  return { id: `${route.line}-${route.directionId === 0 ? 'out' : 'back'}-${clock}`, route, startSeconds };
}

/**
 * How late a trip is at a moment (epoch seconds): each by its own measure, nothing at its ends, most in the middle.
 *
 * @returns seconds behind the timetable, how far into it the trip is, and its pace: how many seconds of the timetable pass in one
 */
export function tripDelay(seed: number, trip: DemoTrip, timeSeconds: number) {
  const duration = trip.route.durationSeconds;
  const elapsed = Math.max(0, timeSeconds - trip.startSeconds);
  const share = seededUnit(seed, 'delay', trip.id) * (MAX_DELAY_SHARE + MAX_EARLY_SHARE) - MAX_EARLY_SHARE;
  const delayAt = (scheduled: number) => share * duration * Math.sin((Math.PI * scheduled) / duration) ** 2;
  // elapsed = scheduled + delay(scheduled). The delay's slope is below 1/3, so each round gains half a digit.
  let scheduled = Math.min(elapsed, duration);
  for (let round = 0; round < 20; round++) scheduled = Math.min(duration, Math.max(0, elapsed - delayAt(scheduled)));
  const slope = share * Math.PI * Math.sin((2 * Math.PI * scheduled) / duration);
  return { delaySeconds: delayAt(scheduled), scheduledSeconds: scheduled, pace: 1 / (1 + slope) };
}

/** The place that lies `metres` from `from` at a bearing (degrees clockwise from north); exact enough within a city. */
export function placeAt(from: Place, bearing: number, metres: number): Place {
  const angle = (bearing * Math.PI) / 180;
  return {
    latitude: from.latitude + (metres * Math.cos(angle)) / METRES_PER_DEGREE,
    longitude: from.longitude + (metres * Math.sin(angle)) / metresPerDegreeEast(from),
  };
}

export function wayBetween(from: Place, to: Place): DemoRoute['segments'][number] {
  const north = (to.latitude - from.latitude) * METRES_PER_DEGREE;
  const east = (to.longitude - from.longitude) * metresPerDegreeEast(from);
  const degrees = (Math.atan2(east, north) * 180) / Math.PI;
  return { lengthMetres: Math.hypot(north, east), bearing: (degrees + 360) % 360 };
}

function metresPerDegreeEast({ latitude }: Place): number {
  return METRES_PER_DEGREE * Math.cos((latitude * Math.PI) / 180);
}

/**
 * A number in [0, 1) that follows from its keys alone; keys that are close give numbers that are not. It stands in place
 * of a generator with state: what the demonstration shows at a moment does not depend on what it showed before.
 */
export function seededUnit(...keys: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const character of keys.join('/')) hash = Math.imul(hash ^ (character.codePointAt(0) as number), 0x01000193);
  // Texts that differ in their last character only would otherwise give neighbouring numbers.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
