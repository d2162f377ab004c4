import type { NewMessageRow } from '@session/db';
import * as fc from 'fast-check';
import { spoken } from './history.ts';

/** One of a writer's batches, by what it says; `which` is one of those that it has said, counted round. */
type Step =
  | { readonly kind: 'whole'; readonly status: 'complete' | null }
  | { readonly kind: 'pending' }
  | { readonly kind: 'complete'; readonly which: number }
  | { readonly kind: 'again'; readonly which: number };

/**
 * A speaker whose words one or two recorders store, each by a clock of its own: `behindMs` says by how much each lags.
 */
export interface Writer {
  readonly behindMs: readonly number[];
  readonly batches: readonly (readonly Step[])[];
}

/** A message as it is at one place in the history. */
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
    maxLength: 12,
  }),
});

/** Gives the batches of messages that a writer's steps stand for; times are for its recorders to set. */
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
 * The model: gives the versions that come to stand in the history when `batches` are stored one after the other, in their
 * order. Of an id the first complete version of a batch counts, else the first; later only what completes a pending one.
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
