import type { ZodApp } from '../zod-app.ts';

/** Accepts JSON only. An empty body counts as none, even with `content-type: application/json`, which many clients send. */
export function acceptJsonBodies(app: ZodApp): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null);
    else void parse(request, String(body), done);
  });
}
