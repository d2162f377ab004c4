import { isUtf8 } from 'node:buffer';
import type { ZodApp } from '../zod-app.ts';

/**
 * Accepts JSON only in UTF-8, because other bytes would be stored as U+FFFD. Treats an empty body as none, even with
 * `content-type: application/json`, which many clients send.
 */
export function acceptJsonBodies(app: ZodApp): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  const options = { parseAs: 'buffer' } as const;
  app.addContentTypeParser<Buffer>('application/json', options, (request, body, done) => {
    if (body.length === 0) done(null);
    else if (isUtf8(body)) void parse(request, body.toString(), done);
    else done(app.httpErrors.badRequest('The body is not UTF-8: encode the JSON in UTF-8.'));
  });
}
