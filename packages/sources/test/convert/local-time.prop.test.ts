import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { converted } from './converting.ts';

const zones = [
  'Africa/Casablanca',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Europe/Brussels',
  'Pacific/Apia',
  'Pacific/Auckland',
  'UTC',
];

/** What the clocks of a zone show, by way of the parts of Intl. */
function shown(epochMs: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const parts = Object.fromEntries(format.formatToParts(epochMs).map(({ type, value }) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}:${parts.second}`;
}

test('MAP-62 what the clocks of a zone show at an instant is read as that instant, or as one that shows the same', () => {
  const instant = fc.integer({ min: Date.UTC(1975, 0) / 1000, max: Date.UTC(2037, 0) / 1000 });
  check(
    fc.property(instant, fc.constantFrom(...zones), (seconds, zone) => {
      const reading = shown(seconds * 1000, zone);
      const [earlier, later] = ['earlier', 'later'].map((overlap) => {
        const text = converted('local', reading, { timeZone: zone, overlap }) as string;
        expect(text.slice(0, 19)).toBe(reading);
        return Date.parse(text);
      }) as [number, number];
      expect([earlier, later]).toContain(seconds * 1000);
      expect(earlier).toBeLessThanOrEqual(later);
      for (const read of [earlier, later]) expect(shown(read, zone)).toBe(reading);
    }),
    { numRuns: 300 },
  );
});

test('MAP-62 any hour around a change of the clocks is read as an instant that shows it, or refused', () => {
  const minute = fc.integer({ min: 0, max: 48 * 60 });
  const starts = fc.constantFrom('2024-03-30', '2024-10-26', '2024-11-02', '2024-03-09', '2024-04-06', '2024-10-05');
  check(
    fc.property(starts, minute, fc.constantFrom(...zones), (start, minutes, zone) => {
      const reading = new Date(Date.parse(`${start}T00:00:00Z`) + minutes * 60_000).toISOString().slice(0, 19);
      const text = converted('local', reading, zone) as string;
      if (text.startsWith('problem')) expect(text).toMatch(/put forward over this one$/);
      else expect(shown(Date.parse(text), zone)).toBe(reading);
    }),
    { numRuns: 300 },
  );
});
