import type { Target } from '../target.ts';
import { clientTargets } from './client.ts';
import { configurationTarget } from './configurations.ts';
import { documentTargets } from './documents.ts';
import { gtfsTarget } from './gtfs.ts';
import { mqttTarget } from './mqtt.ts';
import { postTargets } from './posts.ts';
import { requestTarget } from './requests.ts';
import { sparqlTargets } from './sparql.ts';

/** Everything that is fuzzed. */
export const targets: readonly Target[] = [
  ...postTargets,
  requestTarget,
  gtfsTarget,
  ...documentTargets,
  mqttTarget,
  ...clientTargets,
  ...sparqlTargets,
  configurationTarget,
];
