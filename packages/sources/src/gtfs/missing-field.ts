import type { MessageInTheMaking } from './read-message.ts';
import type { MessagePlan } from './wire-plan.ts';

/** The first required field that a message, or one that it holds, lacks, such as `Position.latitude`. */
export function missingField(plan: MessagePlan, message: MessageInTheMaking): string | undefined {
  const name = plan.required.find((field) => !Object.hasOwn(message, field));
  if (name !== undefined) return `${plan.name}.${name}`;
  for (const planned of plan.fields) {
    const value = message[planned.name];
    if (!planned.message || value === undefined) continue;
    for (const inner of planned.field.repeated ? (value as unknown[]) : [value]) {
      const missing = missingField(planned.message, inner as MessageInTheMaking);
      if (missing !== undefined) return missing;
    }
  }
  return undefined;
}
