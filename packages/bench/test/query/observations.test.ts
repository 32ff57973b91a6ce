import { expect, test } from 'vitest';
import { ASKED_PROPERTY, COUNTED, HIGH, OBSERVATION_QUADS, Observations, SOSA } from '../../src/query/observations.ts';

type Said = ReturnType<Observations['update']>['members'][number];

const objectOf = ({ quads }: Said, name: string) =>
  quads.find(({ predicate }) => predicate.value === `${SOSA}${name}`)?.object.value;
const resultOf = (member: Said) => Number(objectOf(member, 'hasSimpleResult'));

test('a state has all observations, of five quads each about a version of its own', () => {
  const { members } = new Observations(200).state(0);
  expect(members).toHaveLength(200);
  expect(new Set(members.map(({ entity }) => entity)).size).toBe(200);
  for (const { id, entity, quads } of members) {
    expect(id).toBe(`${entity}/0`);
    expect(quads).toHaveLength(OBSERVATION_QUADS);
    expect(new Set(quads.map(({ subject }) => subject.value))).toEqual(new Set([id]));
  }
});

test('updates are new versions of different entities, and one of them is high and of the asked property', () => {
  const observations = new Observations(200);
  observations.state(0);
  const versions = new Set<string>();
  for (let round = 1; round <= 60; round += 1) {
    const { members } = observations.update(10, round);
    expect(new Set(members.map(({ entity }) => entity)).size).toBe(10);
    for (const { id } of members) versions.add(id);
    const changes = members.filter(
      (member) => objectOf(member, 'observedProperty')?.endsWith(`/${ASKED_PROPERTY}`) && resultOf(member) > HIGH,
    );
    expect(changes.length).toBeGreaterThan(0);
  }
  expect(versions.size).toBe(600);
});

test('raising makes as many values count that did not', () => {
  const observations = new Observations(1000);
  const before = observations.counted;
  for (let round = 1; round <= 10; round += 1) {
    const { members, time } = observations.raise(10, round);
    for (const member of members) expect(resultOf(member)).toBeGreaterThan(COUNTED);
    expect(time).toBe(new Date(round).toISOString());
    expect(observations.counted).toBe(before + 10 * round);
  }
  expect(() => {
    for (;;) observations.raise(10, 0);
  }).toThrow('too few observations');
});
