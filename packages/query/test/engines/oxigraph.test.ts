import { oxigraph } from '../../src/engines/oxigraph.ts';
import { describeEngine } from './suite.ts';

describeEngine(oxigraph());
