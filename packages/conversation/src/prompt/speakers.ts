import { senderOf } from '@session/contract/room';
import { cutText, oneLine } from '../clean-text.ts';

/** Who said a text. Where the sender is unknown, it has neither field. */
export interface Speaker {
  /** The name that people see, which two people may share. */
  readonly speaker?: string | undefined;
  /** The participant's identity in the room. */
  readonly identity?: string | undefined;
}

const MAX_NAME_LENGTH = 40;
const NO_NAME = '(no name)';

/** The people who have spoken, each under a different name, so that a prompt tells them apart. One account is one person. */
export class Speakers {
  /** By account or identity, or by the wanted name of a text without an identity. */
  readonly #names = new Map<string, string>();

  get size(): number {
    return new Set(this.#names.values()).size;
  }

  /**
   * Returns the name under which a prompt shows the speaker: the same one each time, and no other speaker's. A text with a
   * name but without an identity is taken for the first speaker of that name.
   */
  nameOf({ speaker = '', identity = '' }: Speaker): string {
    const wanted = shownName(speaker) || shownName(identity);
    const key = JSON.stringify(identity === '' ? { wanted } : { sender: senderOf(identity) });
    const isKnownByName = identity === '' && wanted !== '' && this.#isTaken(wanted);
    const name = this.#names.get(key) ?? (isKnownByName ? wanted : this.#newName(wanted));
    this.#names.set(key, name);
    return name;
  }

  /** Returns a model's text without the names that a prompt puts before people's words (`Ann: hello`). */
  withoutNames(text: string): string {
    if (this.size < 2) return text;
    const names = new Set(this.#names.values());
    const withoutName = (line: string) => {
      const [name = '', ...words] = line.split(': ');
      return words.length > 0 && names.has(name.trim()) ? words.join(': ').trimStart() : line;
    };
    return text.split('\n').map(withoutName).join('\n');
  }

  #newName(wanted: string): string {
    const base = wanted || NO_NAME;
    let name = base;
    for (let number = 2; this.#isTaken(name); number += 1) name = `${base} (${number})`;
    return name;
  }

  #isTaken(name: string): boolean {
    return [...this.#names.values()].includes(name);
  }
}

/** Returns a name as a prompt may show it: one line of at most 40 characters, without the colon that ends a name. */
export function shownName(name: string): string {
  return cutText(oneLine(name).replaceAll(':', ' ').trim(), MAX_NAME_LENGTH);
}
