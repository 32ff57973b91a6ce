import { browserRules } from './browser-rules.ts';
import { cachingRules } from './caching-rules.ts';
import { conditionalRules } from './conditional-rules.ts';
import { contextRules } from './context-rules.ts';
import { documentRules } from './document-rules.ts';
import { entryRules } from './entry-rules.ts';
import { errorRules } from './error-rules.ts';
import { immutabilityRules } from './immutability-rules.ts';
import { memberRules } from './member-rules.ts';
import { negotiationRules } from './negotiation-rules.ts';
import { pushRules } from './push-rules.ts';
import { relationRules } from './relation-rules.ts';
import { retentionRules } from './retention-rules.ts';
import type { Rule } from './rule.ts';
import { sizeRules } from './size-rules.ts';

/** All that is checked, by number. @see specs/check.md */
export const rules: readonly Rule[] = [
  ...entryRules,
  ...documentRules,
  ...contextRules,
  ...relationRules,
  ...memberRules,
  ...immutabilityRules,
  ...cachingRules,
  ...conditionalRules,
  ...negotiationRules,
  ...errorRules,
  ...browserRules,
  ...sizeRules,
  ...retentionRules,
  ...pushRules,
];
