// `npm test`: installs, builds, checks and tests, from a clone as it is.
import { ensureInstalled, ensureLdesClient } from './ensure-built.mjs';

ensureInstalled();
ensureLdesClient();
await import('./check.mjs');
