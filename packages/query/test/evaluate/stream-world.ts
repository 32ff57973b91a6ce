import { blankNode, languageLiteral, literal, type Member, namedNode, quad, rdf, xsd } from '@ldes-live/rdf-stream';
import { fc } from '@ldes-live/test-support/properties';
import type { Quad } from '@rdfjs/types';
import type { SourceEvent } from '../../src/source.ts';
import { quadKey } from '../../src/views/quads.ts';

/** Before every query over this world. */
export const PREFIXES = 'PREFIX ex: <urn:ex:>';

const ex = (name: string) => namedNode(`urn:ex:${name}`);
const type = namedNode(rdf.type);
const number = (value: number) => literal(String(value), xsd.integer);

/** A new state of an entity of this world, or its end; numbers choose what is said of it. */
export interface Step {
  readonly kind: 'vehicle' | 'line' | 'garage';
  readonly entity: number;
  readonly isDelete: boolean;
  readonly isState: boolean;
  readonly numbers: readonly number[];
}

const ENTITIES = { vehicle: 7, line: 4, garage: 3 } as const;

const step = (kind: Step['kind']): fc.Arbitrary<Step> =>
  fc.record({
    kind: fc.constant(kind),
    entity: fc.nat(ENTITIES[kind] - 1),
    isDelete: fc.nat(5).map((n) => n === 0),
    isState: fc.nat(60).map((n) => n === 0),
    numbers: fc.array(fc.nat(11), { minLength: 6, maxLength: 6 }),
  });

/** Commits of one to three entities. */
export const commits = (count: number): fc.Arbitrary<readonly (readonly Step[])[]> =>
  fc.array(
    fc.uniqueArray(
      fc.oneof({ arbitrary: step('vehicle'), weight: 4 }, { arbitrary: step('line'), weight: 2 }, step('garage')),
      { minLength: 1, maxLength: 3, selector: ({ kind, entity }) => `${kind} ${entity}` },
    ),
    { minLength: count, maxLength: count },
  );

export type StreamWorld = ReturnType<typeof streamWorld>;

/** A stream of vehicles, whose versions are subjects of their own, and of lines and garages, which are so themselves. */
export function streamWorld() {
  /** The newest version of every living entity. */
  const living = new Map<string, Member>();
  /** Every version there was. */
  const published: Member[] = [];
  let sequence = 0;
  let timeMs = 0;
  const member = ({ kind, entity: index, isDelete, numbers }: Step): Member => {
    sequence += 1;
    const entity = `urn:${kind}:${index}`;
    return {
      id: `${entity}#${sequence}`,
      entity,
      kind: isDelete ? 'delete' : 'upsert',
      sequence,
      time: new Date(timeMs).toISOString(),
      quads: isDelete ? [] : content[kind](index, sequence, numbers),
    };
  };
  return {
    living,
    published,
    /** When the last commit was published, epoch milliseconds. */
    get timeMs() {
      return timeMs;
    },
    /** Publishes a commit; one second passes with each. */
    publish: (steps: readonly Step[]): SourceEvent => {
      timeMs += 1000;
      const members = steps.map(member);
      published.push(...members);
      for (const said of members) {
        if (said.kind === 'delete') living.delete(said.entity);
        else living.set(said.entity, said);
      }
      const cursor = `e-${sequence}` as never;
      if (steps.some(({ isState }) => isState)) return { kind: 'state', cursor, members: [...living.values()] };
      return { cursor, time: new Date(timeMs).toISOString(), members };
    },
  };
}

/** Each quad once. */
export function quadSet(members: Iterable<Member>): Map<string, Quad> {
  return new Map([...members].flatMap(({ quads }) => quads.map((said) => [quadKey(said), said] as const)));
}

type Content = (index: number, sequence: number, numbers: readonly number[]) => Quad[];

const content: Readonly<Record<Step['kind'], Content>> = {
  vehicle: (index, sequence, [line = 0, delay = 0, label = 0, place = 0, x = 0, more = 0]) => {
    const version = namedNode(`urn:vehicle:${index}#${sequence}`);
    const at = blankNode(`m${sequence}b0`);
    const zone = namedNode(`urn:zone:${x % 3}`);
    return [
      quad(version, type, ex('Vehicle')),
      quad(version, ex('of'), namedNode(`urn:vehicle:${index}`)),
      quad(version, ex('line'), namedNode(`urn:line:${line % ENTITIES.line}`)),
      ...(delay < 9 ? [quad(version, ex('delay'), number(delay))] : []),
      ...(more < 2 ? [quad(version, ex('delay'), number(more))] : []),
      ...(label < 6 ? [quad(version, ex('label'), languageLiteral(`v${label % 3}`, label % 2 ? 'en' : 'nl'))] : []),
      ...(place < 7 ? [quad(version, ex('at'), at), quad(at, ex('zone'), zone), quad(at, ex('x'), number(x))] : []),
      ...(place < 4 ? [quad(zone, type, ex('Zone'))] : []),
    ];
  },
  line: (index, _sequence, [name = 0, operator = 0, country = 0, first = 0, second = 0, more = 0]) => {
    const line = namedNode(`urn:line:${index}`);
    const by = namedNode(`urn:operator:${operator % 2}`);
    return [
      quad(line, type, ex('Line')),
      quad(line, ex('name'), literal(`L${name % 3}`)),
      ...(operator < 10 ? [quad(line, ex('operator'), by), quad(by, type, ex('Operator'))] : []),
      ...(country < 6 ? [quad(by, ex('country'), literal(country % 2 ? 'BE' : 'NL'))] : []),
      ...(first < 8 ? [quad(line, ex('connects'), namedNode(`urn:line:${first % ENTITIES.line}`))] : []),
      ...(second < 4 ? [quad(line, ex('connects'), namedNode(`urn:line:${second % ENTITIES.line}`))] : []),
      // What one entity says of another, whose own version may go meanwhile.
      ...(more < 3 ? [quad(namedNode(`urn:line:${more}`), ex('name'), literal(`L${more}`))] : []),
    ];
  },
  garage: (index, _sequence, [room = 0, zone = 0, served = 0]) => {
    const garage = namedNode(`urn:garage:${index}`);
    return [
      quad(garage, type, ex('Garage')),
      quad(garage, ex('room'), number(room)),
      quad(garage, ex('zone'), namedNode(`urn:zone:${zone % 3}`)),
      ...(served < 8 ? [quad(garage, ex('line'), namedNode(`urn:line:${served % ENTITIES.line}`))] : []),
    ];
  },
};
