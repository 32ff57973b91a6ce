import { comunica } from '../../src/engines/comunica.ts';
import { describeEngine } from './suite.ts';

describeEngine(comunica());
