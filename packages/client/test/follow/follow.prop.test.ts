import type { ServerResponse } from 'node:http';
import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { conflation, type Fault, ScriptedOrigin } from '../support/scripted-origin.ts';
import { followOrigin, take } from '../support/setup-origin.ts';

const REQUEST_FAULTS = ['500', '503', '429', 'reset', 'cut'];
const EVENT_FAULTS = ['double', 'drop', 'cut', 'old', 'conflate'];

/** What may become of a request. */
const requestFault = fc.constantFrom('none', 'none', 'none', ...REQUEST_FAULTS);
/** What may become of an event. */
const eventFault = fc.constantFrom('none', 'none', 'none', ...EVENT_FAULTS);

type Schedule = {
  mal: number;
  from: 'start' | 'latest';
  requests: string[];
  events: string[];
  commits: number[];
  random: number[];
};

const schedule: fc.Arbitrary<Schedule> = fc.record({
  mal: fc.constantFrom(0.5, 0.5, 5, 60),
  from: fc.constantFrom('start', 'latest'),
  requests: fc.array(requestFault, { maxLength: 25 }),
  events: fc.array(eventFault, { minLength: 5, maxLength: 15 }),
  commits: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 3, maxLength: 12 }),
  random: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1, maxLength: 7 }),
});

function faultOf(pending: string[], met: (fault: string) => void): Fault {
  return (request, response, origin) => {
    const fault = pending.shift() ?? 'none';
    met(fault);
    if (/^\d+$/.test(fault)) {
      response.writeHead(Number(fault), fault === '503' ? { 'retry-after': '2' } : {}).end();
      return true;
    }
    if (fault === 'reset') {
      response.destroy();
      return true;
    }
    if (fault === 'cut' && !request.url?.includes('events')) {
      cutOff(response);
      origin.answer(request, response);
      return true;
    }
    return false;
  };
}

// The header and half of the body, then the end of the connection.
function cutOff(response: ServerResponse): void {
  const end = response.end.bind(response);
  response.end = ((body?: string) => {
    if (body === undefined || body.length < 2) return end();
    response.write(body.slice(0, body.length / 2), () => response.destroy());
    return response;
  }) as typeof response.end;
}

async function follow(given: Schedule, met: (fault: string) => void) {
  const time = new VirtualTime({ waits: 'at once' });
  const origin = new ScriptedOrigin(time);
  await origin.listen();
  const { requests, events, commits, random } = structuredClone(given);
  origin.fault = faultOf(requests, met);
  let previous: Uint8Array = new Uint8Array();
  origin.onEvent = (frame) => {
    const fault = events.shift();
    if (fault) met(`${fault} event`);
    const old = previous;
    previous = frame;
    if (fault === 'double') return [frame, frame];
    if (fault === 'drop') return [];
    if (fault === 'old') return [old, frame];
    if (fault === 'conflate') return conflation(origin, 'e1-0');
    if (fault === 'cut') {
      for (const connection of origin.pushed) {
        connection.write(frame.subarray(0, frame.length / 2), () => connection.destroy());
      }
      return [];
    }
    return [frame];
  };
  let draws = 0;
  const { mal, from } = given;
  const follower = followOrigin(origin, { mal, random: () => random[draws++ % random.length] as number }, { from });
  const iterator = follower[Symbol.asyncIterator]();
  const names = 'abcdef'.split('');
  try {
    origin.commit('a', 'b', 'c');
    const changes = await take(iterator as never, 3);
    for (const size of commits) {
      const expected = origin.head.sequence + size;
      let isRead = false;
      const reading = take(iterator as never, size).finally(() => {
        isRead = true;
      });
      origin.commit(...names.slice(0, size));
      await settled(origin, () => isRead);
      if (!isRead) {
        // A last commit without faults shows what a dropped event hid.
        events.length = 0;
        origin.commit('z');
      }
      changes.push(...(await reading));
      while (changes.length < origin.head.sequence) changes.push(...(await take(iterator as never, 1)));
      expect(origin.head.sequence).toBeGreaterThanOrEqual(expected);
    }
    return { changes, origin, follower };
  } finally {
    await iterator.return?.();
    await origin.close();
  }
}

/** Resolves when all is read, or when all that was pushed is out and still not read: an event was dropped. */
async function settled(origin: ScriptedOrigin, isRead: () => boolean): Promise<void> {
  for (let quiet = 0; quiet < 50 && !isRead(); ) {
    await new Promise((resolve) => setImmediate(resolve));
    const isIdle = [...origin.pushed].every((response) => response.writableLength === 0) && origin.pushed.size > 0;
    quiet = isIdle ? quiet + 1 : 0;
  }
}

test('MAL-10 whatever fails on the way, the members read are those of the log, each once, in order', async () => {
  const met = new Floors({
    ...Object.fromEntries(REQUEST_FAULTS.map((fault) => [fault, 8])),
    ...Object.fromEntries(EVENT_FAULTS.map((fault) => [`${fault} event`, 3])),
  });
  await check(
    fc.asyncProperty(schedule, async (given) => {
      const { changes, origin, follower } = await follow(given, (fault) => met.count(fault));
      expect(changes.map((change) => change.member?.id)).toEqual(origin.members.map((member) => member.id));
      expect(follower.status.gaps).toBe(0);
      expect(follower.state.cursor).toBe(`e1-${origin.head.sequence}`);
      // Every retry waits: the requests are bounded by the faults.
      const budget = 10 + 6 * given.commits.length + 4 * (given.requests.length + given.events.length);
      expect(origin.seen.length).toBeLessThan(budget + 4 * origin.head.sequence);
    }),
    { numRuns: 60, met },
  );
});
