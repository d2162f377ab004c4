const MAX_VALUES = 30;

/**
 * The values that answers contained: ids by the kind of their object (`projects`), and texts by the name of their
 * field. Later requests use them, so that they reach objects that exist.
 */
export class KnownValues {
  readonly #byKind = new Map<string, string[]>();

  named(name: string): readonly string[] {
    const noun = name
      .replace(/Id$/, '')
      .replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const kinds = [...this.#byKind.keys()].filter(
      (kind) => kind === name || isPluralOf(kind, noun),
    );
    return kinds.flatMap((kind) => this.#byKind.get(kind) ?? []);
  }

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

  /** Forgets the ids in the path of an object that is gone, so that requests use the ids of others. */
  forget(path: string): void {
    const goneIds = new Set(path.split('/'));
    for (const [kind, values] of this.#byKind) {
      const remaining = values.filter((value) => !goneIds.has(value));
      this.#byKind.set(kind, remaining);
    }
  }

  #add(kind: string, value: unknown): void {
    if (typeof value !== 'string') return;
    const values = this.#byKind.get(kind)?.filter((known) => known !== value) ?? [];
    this.#byKind.set(kind, [...values, value].slice(-MAX_VALUES));
  }
}

/** Whether `kind` is a plural of `noun`: `plan` matches `plan-templates`, and `session` matches `sessions`. */
function isPluralOf(kind: string, noun: string): boolean {
  return noun !== '' && kind.endsWith('s') && kind.startsWith(noun);
}
