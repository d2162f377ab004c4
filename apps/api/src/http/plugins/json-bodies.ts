import type { ZodApp } from '../zod-app.ts';

/**
 * Accepts JSON bodies and no others. An empty body counts as no body, even with `content-type: application/json`, which many
 * clients send with every request. The schema of a route decides whether it needs a body.
 */
export function acceptJsonBodies(app: ZodApp): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null);
    else void parse(request, String(body), done);
  });
}
