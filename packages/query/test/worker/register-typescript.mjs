// Lets a thread of its own run the sources: Node 20 has no TypeScript.
import { register } from 'node:module';

register(new URL('typescript-hooks.mjs', import.meta.url));
