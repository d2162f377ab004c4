import type { ZodApp } from '../zod-app.ts';

/**
 * Takes JSON and nothing else. No body at all is none, also under `content-type: application/json`, which many clients
 * send with every request: whether one is needed is for the route's schema to say.
 */
export function takeJsonBodies(app: ZodApp): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null);
    else void parse(request, String(body), done);
  });
}
