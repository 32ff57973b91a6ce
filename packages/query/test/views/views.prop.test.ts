import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import type { SourceEvent } from '../../src/source.ts';
import { createView } from '../../src/views/view.ts';
import { commit, Follower, type SampleMember, saying, state, words } from './sample-members.ts';

const SOURCES = 2;
const says = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 4 });
const draft = fc.record({
  entity: fc.constantFrom('urn:x:e', 'urn:x:f', 'urn:x:g'),
  kind: fc.constantFrom('upsert' as const, 'upsert' as const, 'delete' as const),
  // How much older than the last: most are in order.
  back: fc.constantFrom(0, 0, 0, 1, 3, 8),
  says,
});

interface Step {
  readonly source: number;
  readonly isState: boolean;
  readonly members: readonly SampleMember[];
}

/** Events of two sources; a late member has the sequence of one before. */
const steps: fc.Arbitrary<readonly Step[]> = fc
  .array(
    fc.record({
      source: fc.nat(SOURCES - 1),
      isState: fc.constantFrom(true, false, false, false, false),
      drafts: fc.array(draft, { minLength: 1, maxLength: 4 }),
    }),
    { maxLength: 25 },
  )
  .map((events) => {
    let last = 1000;
    return events.map(({ source, isState, drafts }) => ({
      source,
      isState,
      members: drafts.map(({ back, ...rest }) => {
        last += 10;
        // Never the number of another member.
        return { ...rest, kind: isState ? ('upsert' as const) : rest.kind, sequence: last - back * 11 };
      }),
    }));
  });

const eventOf = ({ isState, members }: Step): SourceEvent => (isState ? state(...members) : commit(...members));
const viewOf = (window: Parameters<typeof createView>[0]['window']) =>
  createView({ window, windows: [], sources: Array(SOURCES).fill(undefined), malMs: 1000 });
const unique = (...lists: readonly (readonly string[])[]) => [...new Set(lists.flat())].sort();

test('QUERY-32 after any events the latest state is what each entity said last', () => {
  check(
    fc.property(steps, says, (events, data) => {
      const view = viewOf({ type: 'latest' });
      const follower = new Follower(view);
      follower.step(view.load(data.map((word) => saying(word))));
      const newest: Map<string, SampleMember>[] = Array.from({ length: SOURCES }, () => new Map());
      for (const step of events) {
        follower.step(view.apply(step.source, eventOf(step)));
        const known = newest[step.source] as Map<string, SampleMember>;
        if (step.isState) known.clear();
        for (const member of step.members) {
          const before = known.get(member.entity as string);
          if (!before || before.sequence < member.sequence) known.set(member.entity as string, member);
        }
        const living = newest.flatMap((entities) => [...entities.values()]).filter(({ kind }) => kind === 'upsert');
        expect(follower.words).toEqual(unique(data, ...living.map((member) => member.says ?? [])));
      }
    }),
    { numRuns: 300 },
  );
});

test('QUERY-34 after any events the last members, and all, are those of the list of them', () => {
  check(
    fc.property(steps, fc.integer({ min: 1, max: 6 }), (events, members) => {
      const views = [viewOf({ type: 'count', members }), viewOf({ type: 'all' })] as const;
      const followers = views.map((view) => new Follower(view));
      let list: (SampleMember & { readonly source: number })[] = [];
      const everything: string[] = [];
      for (const step of events) {
        for (const [index, view] of views.entries()) followers[index]?.step(view.apply(step.source, eventOf(step)));
        if (step.isState) list = list.filter(({ source }) => source !== step.source);
        const came = step.members.map((member) => ({ ...member, source: step.source }));
        if (step.isState) came.sort((one, other) => one.sequence - other.sequence);
        for (const { source, ...member } of came) {
          everything.push(...(member.says ?? []));
          const isHeld = list.some((held) => held.source === source && held.sequence === member.sequence);
          if (!isHeld) list = [...list, { ...member, source }].slice(-members);
        }
        expect(followers[0]?.words).toEqual(unique(...list.map((member) => member.says ?? [])));
        expect(followers[1]?.words).toEqual(unique(everything));
      }
    }),
    { numRuns: 300 },
  );
});

const END = 60;
const times = fc.nat(END);
const action = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ source: fc.nat(SOURCES - 1), timesMs: fc.array(times, { minLength: 1, maxLength: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ source: fc.nat(SOURCES - 1), stateMs: fc.array(times, { maxLength: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ toMs: fc.nat(END + 30) }) },
);

test('QUERY-36 QUERY-37 QUERY-38 after any events each window is told once, with the members of its time', () => {
  const grid = fc.record({
    rangeMs: fc.integer({ min: 1, max: 20 }),
    stepMs: fc.integer({ min: 1, max: 20 }),
    originMs: fc.integer({ min: -50, max: 50 }),
  });
  check(
    fc.property(grid, fc.array(action, { maxLength: 25 }), ({ rangeMs, stepMs, originMs }, actions) => {
      const view = viewOf({ type: 'time', range: rangeMs / 1000, step: stepMs / 1000, originMs, time: 'version' });
      const follower = new Follower(view);
      const all: { readonly timeMs: number; readonly word: string }[] = [];
      const begun = new Set<number>();
      // All windows that there may be, as the model knows them.
      let opens = Array.from({ length: 400 }, (_, k) => originMs + (k - 200) * stepMs).filter(
        (openMs) => openMs > -100 && openMs < 200,
      );
      const inWindow = (openMs: number) => (ms: number) => openMs <= ms && ms < openMs + rangeMs;
      const pass = (toMs: number) => {
        opens = opens.filter((openMs) => openMs + rangeMs > toMs);
      };
      const everOpen = [...opens];
      let wasEmpty = true;
      let sequence = 0;
      for (const step of actions) {
        if ('toMs' in step) {
          for (let change = view.next?.(step.toMs); change; change = view.next?.(step.toMs)) {
            follower.step(change);
            const held = (openMs: number) => all.filter(({ timeMs }) => inWindow(openMs)(timeMs));
            const expected = opens.find((openMs) => !wasEmpty || held(openMs).length > 0);
            expect([change.openMs, change.closeMs]).toEqual([expected, (expected as number) + rangeMs]);
            expect(follower.words).toEqual(words(held(change.openMs).map(({ word }) => saying(word))));
            expect(change.members).toBe(held(change.openMs).length);
            wasEmpty = change.members === 0;
            pass(change.closeMs);
          }
          const left = opens.filter((openMs) => openMs + rangeMs <= step.toMs);
          expect(left.filter((openMs) => !wasEmpty || all.some(({ timeMs }) => inWindow(openMs)(timeMs)))).toEqual([]);
          pass(step.toMs);
          continue;
        }
        const isState = 'stateMs' in step;
        const timesMs = isState ? step.stateMs : step.timesMs;
        const members = timesMs.map((versionMs) => ({ sequence: ++sequence, versionMs, timeMs: 1000 }));
        if (isState && !begun.has(step.source)) pass(Math.max(Number.NEGATIVE_INFINITY, ...timesMs));
        begun.add(step.source);
        const late = timesMs.filter(
          (ms) => everOpen.some((openMs) => inWindow(openMs)(ms)) && !opens.some((openMs) => inWindow(openMs)(ms)),
        );
        const change = view.apply(step.source, isState ? state(...members) : commit(...members));
        expect(change).toEqual({ added: [], removed: [], late: isState ? 0 : late.length });
        all.push(...members.map(({ versionMs, sequence }) => ({ timeMs: versionMs, word: `m${sequence}` })));
      }
    }),
    { numRuns: 1000 },
  );
});
