import { expect, test } from 'vitest';
import { checkEvent, isQuad } from '../../src/run/check-event.ts';
import { commit, member, saying, state } from '../views/sample-members.ts';

test('QUERY-6 takes commits and states', () => {
  const deletion = { sequence: 2, kind: 'delete', quads: [] } as const;
  for (const event of [commit({ sequence: 1 }, deletion), state(), state({ sequence: 1 })]) {
    expect(() => checkEvent(event, undefined)).not.toThrow();
  }
});

test('QUERY-6 names what of a commit or state is not right', () => {
  const right = commit({ sequence: 1 });
  const holding = (change: object) => ({
    ...right,
    members: [member({ sequence: 1 }), { ...member({ sequence: 2 }), ...change }],
  });
  for (const [event, problem] of [
    [undefined, 'it is undefined'],
    [null, 'it is null'],
    ['commit', 'it is string'],
    [{ hello: 1 }, 'its cursor is not'],
    [{ ...right, cursor: 'a-1' }, 'its cursor is not'],
    [{ ...right, cursor: { epoch: 'a', sequence: '1' } }, 'its cursor is not'],
    [{ ...right, time: undefined }, 'its time is not'],
    [{ ...right, time: 'yesterday' }, 'its time is not'],
    [{ ...right, members: undefined }, 'its members are not an array'],
    [{ ...right, members: [5] }, 'of the member at 0, there is no object'],
    [holding({ entity: undefined }), 'of the member at 1, entity is not'],
    [holding({ id: 5 }), 'id is not'],
    [holding({ kind: 'insert' }), 'kind is neither'],
    [holding({ sequence: '2' }), 'sequence is not'],
    [holding({ time: 1 }), 'time is not'],
    [holding({ quads: '<a> <b> <c> .' }), 'quads are not an array'],
    [holding({ quads: ['<a> <b> <c> .'] }), 'quads are not RDF/JS'],
    [{ ...right, kind: 'commit' }, 'its kind is not state'],
    [{ kind: 'upsert', member: member({ sequence: 1 }), cursor: 'a-1' }, 'put followCommits() around'],
    [{ kind: 'state', cursor: { epoch: 'a', sequence: 1 }, members: [] }, 'the cursor of a state'],
    [{ kind: 'state', cursor: 'a-1' }, 'its members are not'],
  ] as const) {
    expect(() => checkEvent(event, 'urn:x:s'), problem).toThrow(
      expect.objectContaining({ code: 'ERR_QUERY_SOURCE', message: expect.stringContaining(problem) }),
    );
  }
  expect(() => checkEvent(5, 'urn:x:s')).toThrow(
    expect.objectContaining({ details: { url: 'urn:x:s', problem: 'it is number' } }),
  );
});

test('a quad has four terms', () => {
  const { subject, predicate, object, graph } = saying('a');
  expect(isQuad({ subject, predicate, object, graph })).toBe(true);
  expect(isQuad({ subject, predicate, object })).toBe(false);
  expect(isQuad({ subject: 'a', predicate, object, graph })).toBe(false);
});
