import { type Place, placeAt, wayBetween } from './geography.ts';
import { seededUnit } from './seeded-unit.ts';
import { stopNames } from './stop-names.ts';

/** A stop of the demonstration. */
interface DemoStop extends Place {
  readonly id: string;
  readonly name: string;
}

/** The straight way from one stop to the next. */
interface DemoSegment {
  readonly lengthMetres: number;
  /** Degrees clockwise from north. */
  readonly bearing: number;
}

/** A line in one direction, with its timetable in seconds from the start of a trip. */
export interface DemoRoute {
  readonly line: string;
  readonly directionId: 0 | 1;
  readonly stops: readonly DemoStop[];
  /** One less than stops: the way from each stop to the next. */
  readonly segments: readonly DemoSegment[];
  /** When each stop is reached; 0 at the first. */
  readonly arrivalSeconds: readonly number[];
  /** When each stop is left; at the last, when it is reached. */
  readonly departureSeconds: readonly number[];
  /** From the first departure to the last arrival. */
  readonly durationSeconds: number;
}

/** A line with its two directions. */
export interface DemoLine {
  readonly id: string;
  /** As people say it: "Tram 1". */
  readonly name: string;
  /** As GTFS has it: 0 for a tram, 3 for a bus. */
  readonly routeType: 0 | 3;
  /** 6 hexadecimal digits. */
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

/** A small transit network, invented. */
export interface TransitNetwork {
  readonly seed: number;
  readonly agency: string;
  readonly lines: readonly DemoLine[];
  readonly vehicles: readonly DemoVehicle[];
}

/** How long a vehicle stands at its far terminus before it starts back, in seconds. */
export const TURN_SECONDS = 90;
/** How long a vehicle is away from service after a round, in seconds. */
const REST_SECONDS = 240;

const CENTRE: Place = { latitude: 51.02, longitude: 3.45 };
const TRAM_LINES = 2;
/** Of each line. */
const COLORS = ['e60000', '0066cc', '008a3e', 'f0a500', '7b3fa0', '00889a'];
const LINES = COLORS.length;
const STOPS_TOWARDS_EACH_END = [4, 5] as const;
const VEHICLES_PER_LINE = 4;
const CRUISE_METRES_PER_SECOND = 7;
const DWELL_SECONDS = 25;

/** The network of a seed: equal seeds give equal networks. */
export function transitNetwork(seed: number): TransitNetwork {
  const stopsPerLine = STOPS_TOWARDS_EACH_END[0] + STOPS_TOWARDS_EACH_END[1];
  const names = stopNames(seed, LINES * stopsPerLine);
  const hub: DemoStop = { id: 'S100', name: 'Central Station', ...CENTRE };
  const lines = Array.from({ length: LINES }, (_, index) =>
    layLine(seed, index, hub, names.slice(index * stopsPerLine, (index + 1) * stopsPerLine)),
  );
  return {
    seed,
    agency: 'lindermonde',
    lines,
    vehicles: lines.flatMap((line, index) => vehiclesOf(seed, line, index)),
  };
}

/** The time from the start of one round of a line to the start of the next, in seconds. */
export function roundSeconds({ routes: [out, back] }: DemoLine): number {
  return out.durationSeconds + TURN_SECONDS + back.durationSeconds + REST_SECONDS;
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
    color: COLORS[index] as string,
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
