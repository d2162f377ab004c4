import type { NewMessageRow } from '@session/db';
import * as fc from 'fast-check';
import { spoken } from './history.ts';

/** One message of a batch. `which` selects one of the writer's earlier messages, modulo their number. */
type Step =
  | { readonly kind: 'whole'; readonly status: 'complete' | null }
  | { readonly kind: 'pending' }
  | { readonly kind: 'complete'; readonly which: number }
  | { readonly kind: 'again'; readonly which: number };

/**
 * A sender whose messages one or two recorders store, each by its own clock. `behindMs` says how far each clock is behind.
 */
export interface Writer {
  readonly behindMs: readonly number[];
  readonly batches: readonly (readonly Step[])[];
}

export type Version = Pick<NewMessageRow, 'id' | 'status'>;

const which = fc.nat({ max: 20 });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('whole'), status: fc.constantFrom('complete', null) }),
  fc.record({ kind: fc.constant('pending') }),
  fc.record({ kind: fc.constant('complete'), which }),
  fc.record({ kind: fc.constant('again'), which }),
);

export const anyWriter: fc.Arbitrary<Writer> = fc.record({
  behindMs: fc.array(fc.integer({ min: -500, max: 60_000 }), { minLength: 1, maxLength: 2 }),
  batches: fc.array(fc.array(anyStep, { minLength: 1, maxLength: 5 }), {
    minLength: 3,
    maxLength: 8,
  }),
});

/** Returns the batches of messages that a writer's steps describe. Its recorders set the times. */
export function messagesOf(sessionId: string, { batches }: Writer): NewMessageRow[][] {
  const said: NewMessageRow[] = [];
  const pending: NewMessageRow[] = [];
  const messageOf = (step: Step): NewMessageRow | undefined => {
    if (step.kind === 'again') return said[step.which % said.length];
    if (step.kind === 'complete') {
      const begun = pending[step.which % pending.length];
      return begun && { ...begun, status: 'complete' };
    }
    const message = spoken(sessionId, {
      status: step.kind === 'pending' ? 'pending' : step.status,
    });
    if (step.kind === 'pending') pending.push(message);
    said.push(message);
    return message;
  };
  return batches.map((steps) => steps.flatMap((step) => messageOf(step) ?? []));
}

/**
 * The model: returns the versions that the history contains, in order, after `batches` were stored one after the other. Of each
 * id, the first complete version of a batch counts, or else its first version. Later only the completion of a pending message
 * counts.
 */
export function versionsOf(batches: readonly (readonly Version[])[]): Version[] {
  const stored = new Map<string, Version>();
  return batches.flatMap((batch) => {
    const same = Map.groupBy(batch, ({ id }) => id).values();
    const counts = new Set(
      same.map((all) => all.find(({ status }) => status !== 'pending') ?? all[0]),
    );
    return batch.filter((version) => {
      const { id, status } = version;
      const before = stored.get(id);
      const isNew = !before || (before.status === 'pending' && status !== 'pending');
      if (!counts.has(version) || !isNew) return false;
      stored.set(id, version);
      return true;
    });
  });
}
