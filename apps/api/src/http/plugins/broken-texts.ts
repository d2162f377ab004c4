import type { ZodApp } from '../zod-app.ts';

/**
 * Refuses, with 400, a request with a string that PostgreSQL cannot hold: `text` no NUL, `jsonb` no half of a pair of
 * surrogates, which is what is left of an emoji that was cut in two.
 */
export function refuseBrokenTexts(app: ZodApp): void {
  app.addHook('preValidation', async ({ body, params, query }) => {
    for (const text of textsOf([body, params, query])) {
      if (text.includes('\0')) {
        throw app.httpErrors.badRequest('A string holds the character NUL: leave it out.');
      }
      if (!text.isWellFormed()) {
        throw app.httpErrors.badRequest('A string holds half of a character: was it cut in two?');
      }
    }
  });
}

/** It keeps a list of what is to be seen instead of calling itself: a mebibyte of `[` is too deep for the stack. */
function* textsOf(root: unknown): Iterable<string> {
  const rest = [root];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value === 'string') yield value;
    if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) rest.push(key, item);
    }
  }
}
