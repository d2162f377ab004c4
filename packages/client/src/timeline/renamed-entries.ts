import type { Entry } from './entry.ts';

/** The entries that the history renamed, by sender and by the id that the room knows. */
export class RenamedEntries {
  readonly #entries = new Map<string, Entry>();

  set(sender: string | null, alias: string, entry: Entry): void {
    this.#entries.set(keyOf(sender, alias), entry);
  }

  get(sender: string | null, alias: string): Entry | undefined {
    return sender === null ? undefined : this.#entries.get(keyOf(sender, alias));
  }

  delete(entry: Entry): void {
    for (const [key, renamed] of this.#entries) {
      if (renamed === entry) this.#entries.delete(key);
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}

function keyOf(sender: string | null, alias: string): string {
  return `${sender ?? ''}/${alias}`;
}
