/** A publisher as there are many: whom it reaches, how late at most, and how often its data changes. */
export interface ExamplePublisher {
  readonly name: string;
  readonly users: number;
  readonly malSeconds: number;
  readonly intervalSeconds: number;
}

/** Publishers of several sizes, with intervals at which open data is found to change. */
export const EXAMPLE_PUBLISHERS: readonly ExamplePublisher[] = [
  { name: 'City, parking every 60 s', users: 1000, malSeconds: 10, intervalSeconds: 60 },
  { name: 'Agency, vehicles every 20 s', users: 50_000, malSeconds: 5, intervalSeconds: 20 },
  { name: 'Country, bicycles every 60 s', users: 1_000_000, malSeconds: 60, intervalSeconds: 60 },
  { name: 'Traffic, incidents every 300 s', users: 200_000, malSeconds: 30, intervalSeconds: 300 },
  { name: 'Rivers, levels every 900 s', users: 100_000, malSeconds: 1800, intervalSeconds: 900 },
];
