/**
 * What answers have told: the ids of things by what they are (`projects`), and texts by the name of their field. Later
 * requests are made of them, so that they meet things that are there.
 */
export class KnownValues {
  readonly #byKind = new Map<string, string[]>();

  /** Gives what could be meant by a field or parameter of that name; the newest values, at most 30 of a kind. */
  named(name: string): readonly string[] {
    const noun = name
      .replace(/Id$/, '')
      .replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const kinds = [...this.#byKind.keys()].filter(
      (kind) => kind === name || isPluralOf(kind, noun),
    );
    return kinds.flatMap((kind) => this.#byKind.get(kind) ?? []);
  }

  /** Takes what an answer tells: where the thing is that was made, the things of a list, and what to go on with. */
  learn(path: string, location: string | undefined, body: unknown): void {
    const [noun, id] = location?.split('/').slice(-2) ?? [];
    if (noun && id) this.#add(noun, id);
    const kind = path.split('/').at(-1) ?? '';
    const { items, nextCursor, nextSince, user, email }: Record<string, unknown> = Object(body);
    for (const item of Array.isArray(items) ? items : []) this.#add(kind, Object(item).id);
    this.#add('cursor', nextCursor);
    this.#add('since', nextSince);
    this.#add('email', email ?? Object(user).email);
  }

  /** Forgets what is gone, so that others are asked for. */
  forget(path: string): void {
    const gone = new Set(path.split('/'));
    for (const [kind, values] of this.#byKind) {
      const left = values.filter((value) => !gone.has(value));
      this.#byKind.set(kind, left);
    }
  }

  #add(kind: string, value: unknown): void {
    if (typeof value !== 'string') return;
    const values = this.#byKind.get(kind)?.filter((known) => known !== value) ?? [];
    this.#byKind.set(kind, [...values, value].slice(-30));
  }
}

/** `plan` means one of the `plan-templates`, and `session` one of the `sessions`. */
function isPluralOf(kind: string, noun: string): boolean {
  return noun !== '' && kind.endsWith('s') && kind.startsWith(noun);
}
