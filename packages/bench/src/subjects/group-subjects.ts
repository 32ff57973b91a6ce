import type { Subject } from './node-subject.ts';

/** Servers that share the readers, each with a port of its own, as one. At least one; each publishes every update. */
export function groupSubjects(subjects: readonly Subject[]): Subject {
  const [first] = subjects as readonly [Subject, ...Subject[]];
  return {
    ...first,
    ports: subjects.flatMap(({ port, ports }) => ports ?? [port]),
    cpuMicros: async () =>
      (await Promise.all(subjects.map((one) => one.cpuMicros()))).reduce((sum, one) => sum + one, 0),
    residentBytes: () => {
      const known = subjects.flatMap((one) => one.residentBytes() ?? []);
      return known.length < subjects.length ? undefined : known.reduce((sum, one) => sum + one, 0);
    },
    publish: async (schedule) => (await Promise.all(subjects.map((one) => one.publish(schedule))))[0],
    close: async () => {
      await Promise.all(subjects.map((one) => one.close()));
    },
  };
}
