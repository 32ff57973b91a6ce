import type { StateEvent } from '@ldes-live/query';
import { type Commit, literal, type Member, namedNode, quad, rdf, xsd } from '@ldes-live/rdf-stream';
import { seededRandom } from '../seeded-random.ts';

/** Quads of an observation. */
export const OBSERVATION_QUADS = 5;
/** How many properties are observed, by as many observations each. */
const PROPERTIES = 8;
/** The property that is asked of alone. */
export const ASKED_PROPERTY = 3;
/** Values above it are asked for. */
export const HIGH = 95;
/** Values above it are counted. */
export const COUNTED = 20;

export const BASE = 'http://bench.invalid/';
export const SOSA = 'http://www.w3.org/ns/sosa/';

const TERMS = {
  type: namedNode(rdf.type),
  observation: namedNode(`${SOSA}Observation`),
  sensor: namedNode(`${SOSA}madeBySensor`),
  property: namedNode(`${SOSA}observedProperty`),
  result: namedNode(`${SOSA}hasSimpleResult`),
  time: namedNode(`${SOSA}resultTime`),
} as const;

const EPOCH = 'bench';
const SEED = 7;
/** Prime: so far apart are entities that change one after the other. */
const STRIDE = 7919;
const TOP = 100;
/** As far above a bound as decimals cannot round away. */
const ABOVE = 0.1;

/** Observations of as many sensors, each an entity with a new version for each update. Always the same ones. */
export class Observations {
  readonly #values: number[];
  readonly #revisions: number[];
  readonly #random = seededRandom(SEED);
  #sequence = 0;
  #step = 0;

  /** @param count - a multiple of {@link PROPERTIES}, and not of 7919 */
  constructor(count: number) {
    this.#values = Array.from({ length: count }, () => this.#between(0, TOP));
    this.#revisions = this.#values.map(() => 0);
  }

  /** How many have a value that counts. */
  get counted(): number {
    return this.#values.filter((value) => value > COUNTED).length;
  }

  /** All of them. */
  state(timeMs: number): StateEvent {
    const members = this.#values.map((_, index) => this.#member(index, timeMs));
    return { kind: 'state', cursor: `${EPOCH}-${this.#sequence}`, members };
  }

  /** New values of so many; one of them at least is of the asked property, and high. */
  update(entities: number, timeMs: number): Commit {
    const near = this.#next();
    const chosen = new Set([near - (near % PROPERTIES) + ASKED_PROPERTY]);
    while (chosen.size < entities) chosen.add(this.#next());
    return this.#commit([...chosen], timeMs, (place) => (place === 0 ? HIGH : -ABOVE));
  }

  /** Values that count, of so many that had none: each such commit raises `counted` by as many. */
  raise(entities: number, timeMs: number): Commit {
    const chosen = new Set<number>();
    for (let tries = 0; chosen.size < entities; tries += 1) {
      if (tries > this.#values.length) throw new Error('too few observations are left whose values do not count');
      const index = this.#next();
      if ((this.#values[index] as number) <= COUNTED) chosen.add(index);
    }
    return this.#commit([...chosen], timeMs, () => COUNTED);
  }

  #commit(chosen: readonly number[], timeMs: number, above: (place: number) => number): Commit {
    const members = chosen.map((index, place) => {
      this.#values[index] = this.#between(above(place) + ABOVE, TOP);
      this.#revisions[index] = (this.#revisions[index] as number) + 1;
      return this.#member(index, timeMs);
    });
    const time = new Date(timeMs).toISOString();
    return { cursor: { epoch: EPOCH, sequence: this.#sequence }, time, members };
  }

  #member(index: number, timeMs: number): Member {
    this.#sequence += 1;
    const time = new Date(timeMs).toISOString();
    const entity = `${BASE}obs/${index}`;
    const id = `${entity}/${this.#revisions[index]}`;
    const subject = namedNode(id);
    const quads = [
      quad(subject, TERMS.type, TERMS.observation),
      quad(subject, TERMS.sensor, namedNode(`${BASE}sensor/${index}`)),
      quad(subject, TERMS.property, namedNode(`${BASE}property/${index % PROPERTIES}`)),
      quad(subject, TERMS.result, literal(String(this.#values[index]), xsd.double)),
      quad(subject, TERMS.time, literal(time, xsd.dateTime)),
    ];
    return { id, entity, kind: 'upsert', sequence: this.#sequence, time, quads };
  }

  #next(): number {
    this.#step += 1;
    return (this.#step * STRIDE) % this.#values.length;
  }

  #between(least: number, most: number): number {
    return Number((least + this.#random() * (most - least)).toFixed(3));
  }
}
