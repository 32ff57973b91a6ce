import { canonical } from '@ldes-live/test-support/rdf';
import { expect, test } from 'vitest';
import { commitEvent, parseQuads, type SseEvent, SseParser } from '../src/index.ts';
import { memberQuads } from '../src/member-quads.ts';
import { commitOf, description, end, streamPrefixes, vehicle } from './sample-stream.ts';

const commit = commitOf([vehicle('1'), end('2'), vehicle('3')], 41);

function eventOf(frame: Uint8Array): SseEvent {
  const events: SseEvent[] = [];
  new SseParser({ onEvent: (event) => events.push(event) }).push(frame);
  expect(events).toHaveLength(1);
  return events[0] as SseEvent;
}

test('PUSH-3 a commit is one event, with its cursor as the id, on one line of data', () => {
  const frame = commitEvent(commit, description, streamPrefixes);
  const lines = new TextDecoder().decode(frame).split('\n');
  expect(lines.slice(0, 2)).toEqual(['event: update', 'id: abc-44']);
  expect(lines[2]).toMatch(/^data: \{/);
  expect(lines.slice(3)).toEqual(['', '']);
});

test('PUSH-3 the data is a self-contained JSON-LD document of the members, in order', async () => {
  const { data } = eventOf(commitEvent(commit, description, streamPrefixes));
  const document = JSON.parse(data);
  expect(document['@context']).toBeTypeOf('object');
  expect(document['@id']).toBe(description.iri);
  expect(document['tree:member'].map((member: { '@id': string }) => member['@id'])).toEqual(
    commit.members.map(({ id }) => id),
  );
  // No base is needed: nothing in it is relative.
  expect(await canonical(await parseQuads(data, 'jsonld', 'urn:unused:'))).toBe(
    await canonical(memberQuads(description, commit.members)),
  );
});

test('PUSH-3 equal commits are equal bytes', () => {
  const again = commitOf([vehicle('1'), end('2'), vehicle('3')], 41);
  expect(commitEvent(again, description, streamPrefixes)).toEqual(commitEvent(commit, description, streamPrefixes));
});
