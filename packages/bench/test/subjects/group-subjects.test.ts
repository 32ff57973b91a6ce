import { expect, test } from 'vitest';
import { groupSubjects } from '../../src/subjects/group-subjects.ts';
import type { Subject } from '../../src/subjects/subject.ts';

function subject(port: number, told: string[], residentBytes: number | undefined): Subject {
  return {
    name: 'one',
    port,
    path: '/events',
    cpuMicros: async () => port * 10,
    residentBytes: () => residentBytes,
    publish: async ({ count }) => {
      told.push(`${port} publishes ${count}`);
      return `head of ${port}`;
    },
    close: async () => void told.push(`${port} closes`),
  };
}

test('servers that share the readers are one that publishes everywhere and costs what all cost', async () => {
  const told: string[] = [];
  const group = groupSubjects([subject(1, told, 100), subject(2, told, 200)]);
  expect(group).toMatchObject({ name: 'one', port: 1, ports: [1, 2], path: '/events' });
  expect(await group.cpuMicros()).toBe(30);
  expect(group.residentBytes()).toBe(300);
  expect(await group.publish({ startMicros: 0, intervalMicros: 1, count: 7 })).toBe('head of 1');
  await group.close();
  expect(told).toEqual(['1 publishes 7', '2 publishes 7', '1 closes', '2 closes']);
});

test('memory that is not known of one is not known of all', () => {
  expect(groupSubjects([subject(1, [], 100), subject(2, [], undefined)]).residentBytes()).toBeUndefined();
});
