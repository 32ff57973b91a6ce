import { WireType } from '@bufbuild/protobuf/wire';
import { wireEnums } from './wire-enums.ts';
import type { WireField } from './wire-format.ts';
import { type WireMessageName, wireMessages } from './wire-messages.ts';

/** A field of a message, with what reading and writing it needs at hand. */
export interface PlannedField {
  readonly name: string;
  readonly field: WireField;
  readonly wireType: WireType;
  /** The plan of the message that it holds, if it holds one. */
  readonly message?: MessagePlan;
  /** The names of its values by number, if it is of an enumeration. */
  readonly valueNames?: ReadonlyMap<number, string>;
}

/** A message of the descriptor, with its fields in the order of the descriptor and by number. */
export interface MessagePlan {
  readonly name: WireMessageName;
  readonly fields: readonly PlannedField[];
  readonly byNumber: readonly (PlannedField | undefined)[];
  /** The names of the fields that it must have. */
  readonly required: readonly string[];
}

const wireTypes: Readonly<Record<WireField['type'], WireType>> = {
  string: WireType.LengthDelimited,
  message: WireType.LengthDelimited,
  bool: WireType.Varint,
  enum: WireType.Varint,
  uint32: WireType.Varint,
  int32: WireType.Varint,
  uint64: WireType.Varint,
  int64: WireType.Varint,
  float: WireType.Bit32,
  double: WireType.Bit64,
};

const plans = new Map<string, MessagePlan>();

/** The plan of a message, and within it those of the messages that it holds. */
export function planOf(name: WireMessageName): MessagePlan {
  let plan = plans.get(name);
  if (!plan) {
    plan = makePlan(name);
    plans.set(name, plan);
  }
  return plan;
}

// No message of GTFS-Realtime holds itself, so this ends.
function makePlan(name: WireMessageName): MessagePlan {
  const fields = Object.entries<WireField>(wireMessages[name]).map(([key, field]) => plannedField(key, field));
  const byNumber: PlannedField[] = [];
  for (const planned of fields) byNumber[planned.field.number] = planned;
  const required = fields.filter(({ field }) => field.required).map((planned) => planned.name);
  return { name, fields, byNumber, required };
}

function plannedField(name: string, field: WireField): PlannedField {
  const planned = { name, field, wireType: wireTypes[field.type] };
  if (field.type === 'message') return { ...planned, message: planOf(field.message as WireMessageName) };
  if (field.type !== 'enum') return planned;
  const values = Object.entries<number>(wireEnums[field.values]);
  return { ...planned, valueNames: new Map(values.map(([value, number]) => [number, value])) };
}
