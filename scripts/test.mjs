// `npm test`: installs, builds, checks and tests, from a clone as it is.
import { ensureBuilt, ensureLdesClient } from './ensure-built.mjs';

ensureBuilt();
ensureLdesClient();
await import('./check.mjs');
