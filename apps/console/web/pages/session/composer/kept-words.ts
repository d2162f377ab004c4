import type { Conversation, TimelineItem } from '@session/client';
import { useEffect, useState } from 'react';

/** A message of this user that the history did not have when the page was left. */
export interface UnsentMessage {
  readonly id: string;
  readonly content: string;
}

type KeptStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * The words of one user in one session that exist on this page alone: the draft, and unsent messages. They survive a reload
 * and a new sign-in in this tab. Another user who signs in here does not see them.
 */
export class KeptWords {
  readonly #storage: KeptStorage;
  readonly #draftKey: string;
  readonly #unsentKey: string;

  constructor(storage: KeptStorage, userId: string, sessionId: string) {
    this.#storage = storage;
    this.#draftKey = `session.draft.${userId}.${sessionId}`;
    this.#unsentKey = `session.unsent.${userId}.${sessionId}`;
  }

  get draft(): string {
    return this.#read(this.#draftKey) ?? '';
  }

  keepDraft(text: string): void {
    this.#write(this.#draftKey, text === '' ? null : text);
  }

  get unsent(): readonly UnsentMessage[] {
    try {
      const kept: unknown = JSON.parse(this.#read(this.#unsentKey) ?? '[]');
      return Array.isArray(kept) ? kept.filter(isUnsent) : [];
    } catch {
      return [];
    }
  }

  keepUnsent(messages: readonly UnsentMessage[]): void {
    this.#write(this.#unsentKey, messages.length === 0 ? null : JSON.stringify(messages));
  }

  forgetUnsent(messages: readonly UnsentMessage[]): void {
    const ids = new Set(messages.map(({ id }) => id));
    this.keepUnsent(this.unsent.filter(({ id }) => !ids.has(id)));
  }

  #read(key: string): string | null {
    try {
      return this.#storage.getItem(key);
    } catch {
      return null;
    }
  }

  #write(key: string, value: string | null): void {
    try {
      if (value === null) this.#storage.removeItem(key);
      else this.#storage.setItem(key, value);
    } catch {
      // A full or forbidden storage keeps nothing. The page works without it.
    }
  }
}

function isUnsent(value: unknown): value is UnsentMessage {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return typeof fields.get('id') === 'string' && typeof fields.get('content') === 'string';
}

export function useKeptWords(
  conversation: Conversation,
  userId: string,
  sessionId: string,
): KeptWords {
  const [kept] = useState(() => new KeptWords(sessionStorage, userId, sessionId));
  useEffect(() => {
    const { timeline } = conversation;
    let last: readonly TimelineItem[] | undefined;
    const lookAt = () => {
      const { items } = timeline.getSnapshot();
      if (items === last) return;
      last = items;
      const known = new Set(items.map(({ id }) => id));
      const earlier = kept.unsent.filter(({ id }) => !known.has(id));
      const next = [
        ...earlier,
        ...items.filter(isUnsentItem).map(({ id, content }) => ({ id, content })),
      ];
      if (idsOf(next) !== idsOf(kept.unsent)) kept.keepUnsent(next);
    };
    lookAt();
    return timeline.subscribe(lookAt);
  }, [conversation, kept]);
  return kept;
}

/**
 * Returns whether an item is our own and not in the history. Each client shows only its own items as `sending` or
 * `failed`.
 */
function isUnsentItem({ state }: TimelineItem): boolean {
  return state === 'sending' || state === 'failed';
}

function idsOf(messages: readonly UnsentMessage[]): string {
  return messages.map(({ id }) => id).join(' ');
}
