import type { ZodApp } from '../zod-app.ts';

/** Refuses texts that PostgreSQL cannot store: NUL, and in `jsonb` half of a surrogate pair. */
export function refuseBrokenTexts(app: ZodApp): void {
  app.addHook('preValidation', ({ body, params, query }, _reply, done) => {
    // No recursion: a mebibyte of `[` is too deep for the stack.
    const pending: unknown[] = [body, params, query];
    while (pending.length > 0) {
      const value = pending.pop();
      if (typeof value === 'string') assertStorable(app, value);
      if (typeof value === 'object' && value !== null) {
        for (const [key, item] of Object.entries(value)) pending.push(key, item);
      }
    }
    done();
  });
}

function assertStorable({ httpErrors }: ZodApp, text: string): void {
  if (text.includes('\0')) {
    throw httpErrors.badRequest('A string contains the character NUL: remove it.');
  }
  if (!text.isWellFormed()) {
    throw httpErrors.badRequest(
      'A string contains half of a character (an unpaired surrogate): was it cut in two?',
    );
  }
}
