/**
 * Some of a packet's members. Those that are chosen alike, one after the other from {@link Choice.none}, are one object,
 * so that what is made of them is made once however many ask for it.
 */
export class Choice {
  readonly #before: Choice | undefined;
  /** The member that was chosen last; -1 in that of none. */
  readonly last: number;
  #next: Map<number, Choice> | undefined;
  #members: readonly number[] | undefined;

  private constructor(before?: Choice, last = -1) {
    this.#before = before;
    this.last = last;
  }

  /** No member: where the choices for one packet begin. */
  static none(): Choice {
    return new Choice();
  }

  /** This choice and a member after those in it. */
  and(member: number): Choice {
    this.#next ??= new Map();
    let next = this.#next.get(member);
    if (!next) {
      next = new Choice(this, member);
      this.#next.set(member, next);
    }
    return next;
  }

  /** The members in order: the same array each time. */
  get members(): readonly number[] {
    if (!this.#members) {
      const members: number[] = [];
      for (let choice: Choice = this; choice.#before !== undefined; choice = choice.#before) members.push(choice.last);
      this.#members = members.reverse();
    }
    return this.#members;
  }
}
