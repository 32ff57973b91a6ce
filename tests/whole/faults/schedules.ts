/* What can befall a client that follows a stream: faults of the way, commits, and how it is followed, as one value.
 *
 *   { mal: 2, from: 'start', versions: 'all', history: 3, commits: [{ afterMs: 300, entities: [{ number: 1, isEnd: false }] }],
 *     faultsMs: 9000, documents: [[{ fault: 'cut-body', share: 0.4 }]], events: [[{ fault: 'double-event', event: 0 }]], ... }
 */
import { fc } from '@ldes-live/test-support/properties';

/** Something that goes wrong with one exchange between a client and a server: plain data, to be printed and made smaller. */
export type Fault =
  /** The answer, or its body, comes later. */
  | { readonly fault: 'delay-head'; readonly ms: number }
  | { readonly fault: 'delay-body'; readonly ms: number }
  /** The connection ends before anything was answered, or within the header. */
  | { readonly fault: 'reset' }
  | { readonly fault: 'cut-head' }
  /** The connection ends when a share of the body has passed. */
  | { readonly fault: 'cut-body'; readonly share: number }
  /** A field of the header is lost. */
  | { readonly fault: 'drop'; readonly field: (typeof DROPPED)[number] }
  /** An earlier answer comes again, the oldest but `back`; a stubborn cache does not mind being told to ask anew. */
  | { readonly fault: 'stale'; readonly back: number; readonly isStubborn: boolean }
  /** `Date` is off, or there is an `Age` that the answer does not have. */
  | { readonly fault: 'date'; readonly seconds: number }
  | { readonly fault: 'age'; readonly seconds: number }
  /** Another answer takes its place. */
  | { readonly fault: 'status'; readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly fault: 'html' }
  /** Of a push connection, by the number of the event: it comes later, twice, or only in part before the end. */
  | { readonly fault: 'delay-event'; readonly event: number; readonly ms: number }
  | { readonly fault: 'double-event'; readonly event: number }
  | { readonly fault: 'cut-event'; readonly event: number; readonly share: number }
  /** Events are passed on when so many bytes have come together, or so long after the first of them. */
  | { readonly fault: 'hold-bytes'; readonly bytes: number }
  | { readonly fault: 'hold-time'; readonly ms: number };

/** Header fields that get lost. */
const DROPPED = ['date', 'age', 'etag', 'next-update', 'ldes-cursor', 'link', 'cache-control', 'content-type'] as const;

/** The fault of a kind among the faults of an exchange. */
export function faultOf<Kind extends Fault['fault']>(
  faults: readonly Fault[],
  kind: Kind,
): Extract<Fault, { readonly fault: Kind }> | undefined {
  return faults.find((fault): fault is Extract<Fault, { readonly fault: Kind }> => fault.fault === kind);
}

/** What befalls the exchanges of one stream, one entry for each. */
export interface FaultPlan {
  /** Of documents, in the order in which they are asked for; none befall those after the last. */
  readonly documents: readonly (readonly Fault[])[];
  /** Of push connections. */
  readonly events: readonly (readonly Fault[])[];
}

/** Some versions that are published together: of entities by number, ends of those that live, else new states. */
export interface PlannedCommit {
  /** Time since the one before, milliseconds. */
  readonly afterMs: number;
  readonly entities: readonly PlannedVersion[];
}

/** A version of an entity by number. */
export interface PlannedVersion {
  readonly number: number;
  readonly isEnd: boolean;
  /** Degrees east of Greenwich, on the equator; nowhere when absent. */
  readonly longitude?: number | undefined;
  /** That it has the class of the other numbers. */
  readonly isTurned?: boolean;
}

/** The part of a stream that is followed: of entities by number, of the class of even numbers, and of a box. */
export interface PlannedFilter {
  readonly numbers?: readonly number[] | undefined;
  readonly isEven: boolean;
  readonly boxes?: readonly { readonly west: number; readonly east: number }[] | undefined;
}

/** What happens to a client that follows a stream: everything but time follows from it. */
export interface FaultSchedule extends FaultPlan {
  /** Seconds. */
  readonly mal: number;
  readonly from: 'start' | 'latest' | 'now';
  readonly versions: 'all' | 'newest';
  /** How long the reader thinks about each change, milliseconds. */
  readonly readMs: number;
  /** Members that were there before, over pages. */
  readonly history: number;
  /** Whether the server tells when the next update comes, and whether it comes then. */
  readonly prediction: 'none' | 'right' | 'wrong';
  readonly commits: readonly PlannedCommit[];
  /** How long anything befalls the exchanges, milliseconds. */
  readonly faultsMs: number;
  /** What the client draws, over and over. */
  readonly random: readonly number[];
  /** Absent for the whole stream. */
  readonly filter?: PlannedFilter | undefined;
}

// Without a prototype of null, which is of no use and is printed.
const record = <Fields>(fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> }) =>
  fc.record(fields, { noNullPrototype: true }) as fc.Arbitrary<Fields>;

const ms = (max: number) => fc.integer({ min: 1, max });
// The longest are as long as there are faults.
const delayMs = fc.oneof(ms(300), ms(10_000), ms(40_000), fc.constant(90_000));
const share = fc.integer({ min: 0, max: 99 }).map((percent) => percent / 100);

const headFault: fc.Arbitrary<Fault> = fc.oneof(
  record({ fault: fc.constant('delay-head' as const), ms: delayMs }),
  record({ fault: fc.constant('reset' as const) }),
  record({ fault: fc.constant('cut-head' as const) }),
  record({ fault: fc.constant('drop' as const), field: fc.constantFrom(...DROPPED) }),
  record({ fault: fc.constant('date' as const), seconds: fc.constantFrom(-3600, -600, -5, -1, 1, 5, 600, 3600) }),
  record({ fault: fc.constant('age' as const), seconds: fc.constantFrom(0, 1, 7, 60, 3600) }),
  record({
    fault: fc.constant('status' as const),
    status: fc.constantFrom(500, 503, 503, 429, 404, 410),
    retryAfterSeconds: fc.constantFrom(0, 1, 5, 20),
  }),
  record({ fault: fc.constant('status' as const), status: fc.constantFrom(500, 502, 503, 429) }),
  record({ fault: fc.constant('html' as const) }),
);

const documentFault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 5, arbitrary: headFault },
  { weight: 1, arbitrary: record({ fault: fc.constant('delay-body' as const), ms: delayMs }) },
  { weight: 1, arbitrary: record({ fault: fc.constant('cut-body' as const), share }) },
  {
    weight: 2,
    arbitrary: record({ fault: fc.constant('stale' as const), back: fc.nat(3), isStubborn: fc.boolean() }),
  },
);

const event = fc.nat(4);
const eventFault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 2, arbitrary: headFault },
  { weight: 1, arbitrary: record({ fault: fc.constant('delay-event' as const), event, ms: ms(60_000) }) },
  { weight: 1, arbitrary: record({ fault: fc.constant('double-event' as const), event }) },
  { weight: 2, arbitrary: record({ fault: fc.constant('cut-event' as const), event, share }) },
  { weight: 1, arbitrary: record({ fault: fc.constant('hold-bytes' as const), bytes: ms(16_384) }) },
  { weight: 1, arbitrary: record({ fault: fc.constant('hold-time' as const), ms: ms(60_000) }) },
);

const some = (fault: fc.Arbitrary<Fault>) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 4, arbitrary: fc.tuple(fault) },
    { weight: 1, arbitrary: fc.tuple(fault, fault) },
  );

const plannedCommit: fc.Arbitrary<PlannedCommit> = record({
  afterMs: fc.oneof(ms(300), ms(5_000), ms(20_000)),
  entities: fc.uniqueArray(record({ number: fc.nat(7), isEnd: fc.constantFrom(false, false, true) }), {
    selector: ({ number }) => number,
    minLength: 1,
    maxLength: 5,
  }),
});

/** Schedules of faults, commits, and how the stream is followed. */
export const faultSchedules: fc.Arbitrary<FaultSchedule> = record({
  mal: fc.constantFrom(0.2, 0.5, 1, 2, 5, 9, 10, 12, 30, 60),
  from: fc.constantFrom('start', 'start', 'latest', 'now'),
  versions: fc.constantFrom('all', 'all', 'all', 'newest'),
  readMs: fc.constantFrom(0, 0, 0, 0, 20, 500),
  history: fc.constantFrom(0, 0, 3, 3, 3, 3, 3, 260),
  prediction: fc.constantFrom('none', 'none', 'right', 'wrong'),
  commits: fc.array(plannedCommit, { minLength: 1, maxLength: 10 }),
  faultsMs: fc.integer({ min: 0, max: 60_000 }),
  documents: fc.array(some(documentFault), { maxLength: 15 }),
  events: fc.array(some(eventFault), { maxLength: 6 }),
  random: fc.array(
    fc.integer({ min: 0, max: 999 }).map((draw) => draw / 1000),
    { minLength: 1, maxLength: 5 },
  ),
});

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const longitude = fc.integer({ min: 0, max: 5 });

/** The same, of entities that move, of which a part is followed. */
export const filteredSchedules: fc.Arbitrary<FaultSchedule & { readonly filter: PlannedFilter }> = fc
  .tuple(
    faultSchedules,
    record({
      numbers: optional(fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 4 })),
      isEven: fc.boolean(),
      boxes: optional(
        fc
          .array(fc.tuple(longitude, longitude), { minLength: 1, maxLength: 2 })
          .map((boxes) => boxes.map(([one, other]) => ({ west: Math.min(one, other), east: Math.max(one, other) }))),
      ),
    }),
    fc.array(record({ longitude: optional(longitude), isTurned: fc.constantFrom(false, false, false, true) }), {
      minLength: 1,
      maxLength: 20,
    }),
  )
  .map(([schedule, filter, draws]) => {
    let drawn = 0;
    const moving = (version: PlannedVersion) => ({ ...version, ...draws[drawn++ % draws.length] });
    const commits = schedule.commits.map(({ afterMs, entities }) => ({ afterMs, entities: entities.map(moving) }));
    // A part that something may be of.
    const isEven = filter.isEven && (filter.numbers ?? [0]).some((number) => number % 2 === 0);
    return { ...schedule, filter: { ...filter, isEven }, commits };
  });
