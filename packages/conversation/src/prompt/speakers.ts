import { senderOf } from '@session/contract/room';
import { cutText, oneLine } from '../clean-text.ts';

/**
 * Who said a text; empty where the sender is unknown. `speaker` is a name, which two people may share; `identity` is the
 * participant's.
 */
export interface Speaker {
  readonly speaker?: string | undefined;
  readonly identity?: string | undefined;
}

const MAX_NAME_LENGTH = 40;
const NO_NAME = '(no name)';

/** The people who have spoken, each under a different name. All identities of an account are one person. */
export class Speakers {
  readonly #names = new Map<string, string>();

  get size(): number {
    return new Set(this.#names.values()).size;
  }

  /**
   * Returns the speaker's name in prompts: always the same, and different from those of all others. A text with a name but
   * without an identity counts as said by the first speaker of that name.
   */
  nameOf({ speaker = '', identity = '' }: Speaker): string {
    const wanted = shownName(speaker) || shownName(identity);
    const key = JSON.stringify(identity === '' ? { wanted } : { sender: senderOf(identity) });
    const isKnownByName = identity === '' && wanted !== '' && this.#isTaken(wanted);
    const name = this.#names.get(key) ?? (isKnownByName ? wanted : this.#newName(wanted));
    this.#names.set(key, name);
    return name;
  }

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

export function shownName(name: string): string {
  return cutText(oneLine(name).replaceAll(':', ' ').trim(), MAX_NAME_LENGTH);
}
