import { blankNode, dct, ldes, literal, rdf, tree, xsd } from '@ldes-live/rdf-stream';
import type { FaultyServer } from '../faulty-server.ts';
import { instant, say } from '../stream-fixture.ts';
import { by, label, plus, replaced, time, unscheduled, without } from './edits.ts';
import type { Fault } from './faults.ts';

const policy = (s: FaultyServer, predicate: string, value: string) =>
  s.says('/s', plus(say(`${s.root}#kept`, predicate, literal(value))));

/** Faults in what the root says of its stream. */
export const streamFaults: readonly Fault[] = [
  ['no timestampPath', 'CHK-9', (s) => s.says('/s', without(ldes.timestampPath))],
  ['two timestampPaths', 'CHK-10', (s) => s.says('/s', plus(say(`${s.root}#stream`, ldes.timestampPath, dct.title)))],
  ['a timestampPath of two steps', 'CHK-11', (s) => s.says('/s', replaced(by(ldes.timestampPath), blankNode('path')))],
  ['no pollingInterval', 'CHK-12', (s) => s.says('/s', without(ldes.pollingInterval))],
  [
    'a pollingInterval that is a duration',
    'CHK-13',
    (s) => s.says('/s', replaced(by(ldes.pollingInterval), literal('PT20S', xsd.duration))),
  ],
  ['a max-age of three pollingIntervals', 'CHK-14', (s) => s.answers('/s/p3', unscheduled('public, max-age=60'))],
  [
    'a member time without timezone',
    'CHK-15',
    (s) => s.says('/s/p3', replaced(time(60, s.root), instant('2026-01-01T00:01:00'))),
  ],
  [
    'a bound without timezone',
    'CHK-15',
    (s) =>
      s.says('/s', (quads) =>
        quads.map((q) =>
          label('r4')(q) && by(tree.value)(q) ? say(q.subject, tree.value, instant('2026-01-01T00:00:59')) : q,
        ),
      ),
  ],
  [
    'two retention policies',
    'CHK-74',
    (s) =>
      s.says(
        '/s',
        plus(
          say(`${s.root}#view`, ldes.retentionPolicy, `${s.root}#other`),
          say(`${s.root}#other`, rdf.type, ldes.RetentionPolicy),
        ),
      ),
  ],
  [
    'a retention policy without IRI',
    'CHK-75',
    (s) =>
      s.says('/s', (quads) => [
        ...without(ldes.retentionPolicy)(quads),
        say(`${s.root}#view`, ldes.retentionPolicy, blankNode('kept')),
        say(blankNode('kept'), ldes.fullLogDuration, literal('P7D', xsd.duration)),
      ]),
  ],
  [
    'a retention policy that nothing is said of',
    'CHK-76',
    (s) => s.says('/s', replaced(by(ldes.retentionPolicy), `${s.root}#nothing`)),
  ],
  [
    'a retention policy in old terms',
    'CHK-77',
    (s) => s.says('/s', plus(say(`${s.root}#kept`, rdf.type, 'https://w3id.org/ldes#DurationAgoPolicy'))),
  ],
  ['versionAmount 0', 'CHK-78', (s) => policy(s, ldes.versionAmount, '0')],
  ['two fullLogDurations', 'CHK-78', (s) => policy(s, ldes.fullLogDuration, 'P8D')],
  ['a versionDuration in words', 'CHK-78', (s) => policy(s, ldes.versionDuration, '7 days')],
];
