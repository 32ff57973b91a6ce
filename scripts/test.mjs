// `npm test`: installs, builds, checks and tests, from a clone as it is.
import { ensureBuilt } from './ensure-built.mjs';

ensureBuilt();
await import('./check.mjs');
