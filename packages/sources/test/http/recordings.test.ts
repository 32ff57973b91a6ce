import { describeRecordings, recording } from '@ldes-live/test-support/recordings';
import { expect, test } from 'vitest';
import { presets } from '../../src/presets/presets.ts';
import { ok } from '../feed-server.ts';
import { compiled } from './garages.ts';
import { pollDocuments } from './poll-documents.ts';

const FILES = ['1-1705308099', '2-1705311469', '3-1705316554', '4-1705317924', '5-1705756364', '6-1706019398'];

describeRecordings(
  'recordings of sensors, polled in sequence',
  () => {
    test('SRC-1 six recordings of the garages of Ghent give exactly those that changed', async () => {
      const mapping = presets['ghent-garages']?.mapping;
      if (!mapping) throw new Error('no preset');
      const { answers, poll, latest, source } = await pollDocuments({ mapping: compiled(mapping) });
      const changes: [number, number][] = [];
      for (const file of FILES) {
        answers.set('/feed.pb', ok(recording(`ghent-garages/${file}.json`, 'sensors')));
        const event = await poll();
        if (event.kind !== 'taken') throw new Error(event.kind, { cause: 'error' in event ? event.error : undefined });
        changes.push([event.upserts, event.deletes]);
      }
      expect(changes).toEqual([12, 11, 12, 10, 12, 12].map((upserts) => [upserts, 0]));
      expect(latest.size).toBe(12);
      expect(source.health()).toMatchObject({ state: 'ok', errors: {} });
    });
  },
  'sensors',
);
