import type { ZodApp } from '../zod-app.ts';

/**
 * Checking a value takes microseconds, during which no other request is answered, and zod overflows the stack at about
 * 120,000 faults. An import of 1,000 messages has 8,001 values, and the largest template fewer than 15,000.
 */
const MAX_VALUES = 20_000;

/**
 * Refuses texts that PostgreSQL cannot store: NUL, and in `jsonb` half of a surrogate pair. Also refuses requests with
 * too many values, before a schema checks each of them.
 */
export function refuseBrokenTexts(app: ZodApp): void {
  app.addHook('preValidation', ({ body, params, query }, _reply, done) => {
    checkValues(app, [body, params, query]);
    done();
  });
}

/**
 * Checks the values in `pending`, and empties it. Does not recurse, because a mebibyte of `[` is too deep for the
 * stack.
 */
function checkValues(app: ZodApp, pending: unknown[]): void {
  let count = 0;
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') assertStorable(app, value);
    const { names, items } = partsOf(value);
    count += items.length;
    if (count > MAX_VALUES) throw crowded(app);
    for (const name of names) assertStorable(app, name);
    for (const item of items) pending.push(item);
  }
}

function partsOf(value: unknown): { readonly names: string[]; readonly items: unknown[] } {
  if (Array.isArray(value)) return { names: [], items: value };
  if (typeof value !== 'object' || value === null) return { names: [], items: [] };
  return { names: Object.keys(value), items: Object.values(value) };
}

function crowded({ httpErrors }: ZodApp): Error {
  const most = MAX_VALUES.toLocaleString('en');
  return httpErrors.badRequest(
    `A body may have at most ${most} fields and items of lists: send fewer at a time.`,
  );
}

function assertStorable({ httpErrors }: ZodApp, text: string): void {
  if (text.includes('\0')) {
    throw httpErrors.badRequest('A string contains the character NUL: remove it.');
  }
  if (!text.isWellFormed()) {
    throw httpErrors.badRequest(
      'A string contains half of a character (an unpaired surrogate): send the whole character.',
    );
  }
}
