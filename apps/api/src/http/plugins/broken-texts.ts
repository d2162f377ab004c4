import type { ZodApp } from '../zod-app.ts';

/** Refuses texts that PostgreSQL cannot store: NUL, and in `jsonb` half of a surrogate pair. */
export function refuseBrokenTexts(app: ZodApp): void {
  app.addHook('preValidation', async ({ body, params, query }) => {
    for (const text of textsIn([body, params, query])) {
      if (text.includes('\0')) {
        throw app.httpErrors.badRequest('A string contains the character NUL: remove it.');
      }
      if (!text.isWellFormed()) {
        throw app.httpErrors.badRequest(
          'A string contains half of a character (an unpaired surrogate): was it cut in two?',
        );
      }
    }
  });
}

/** No recursion: a mebibyte of `[` is too deep for the stack. */
function* textsIn(root: unknown): Iterable<string> {
  const pending = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') yield value;
    if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) pending.push(key, item);
    }
  }
}
